import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  findZooKeeper,
  whyNoZooKeeper,
  type ZooKeeperInstallation,
} from '../support/zookeeper-installation.js';

/** Environment variable with the directory of the compiled programs; see `compile-programs.ts`. */
export const CURATOR_PROGRAMS = 'TEST_CURATOR_PROGRAMS';

/** A program to run, and its first arguments. */
export interface Command {
  readonly program: string;
  readonly args: readonly string[];
}

const DEBIAN_JARS = '/usr/share/java';
const ZKCLI = '/usr/share/zookeeper/bin/zkCli.sh';
/** Those that have kazoo. Found once per process: to ask one is to start it. */
let pythons: readonly string[] | undefined;
/** Their sources. */
export const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));

/** kazoo for a Python in `PATH`, or for the system's Python, which Debian's package supports. */
export function kazoo(): Command | undefined {
  return kazooProgram('kazoo_locker');
}

/** One of the programs here that use kazoo. */
export function kazooProgram(name: string): Command | undefined {
  const program = pythonWithKazoo();
  return program === undefined ? undefined : { program, args: [join(PROGRAMS, `${name}.py`)] };
}

export function pythonWithKazoo(): string | undefined {
  pythons ??= ['python3', '/usr/bin/python3'].filter(
    (python) => spawnSync(python, ['-c', 'import kazoo']).status === 0,
  );
  return pythons[0];
}

/** Curator, and a Java that has compiled the programs that use it. */
export function curator(): Command | undefined {
  return curatorProgram('CuratorLocker');
}

/** One of the programs here that use Curator. */
export function curatorProgram(name: string): Command | undefined {
  const found = javaWithCurator();
  if (found === undefined) return undefined;
  const classPath = [process.env[CURATOR_PROGRAMS], found.classPath].join(delimiter);
  return {
    program: found.java,
    args: ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-cp', classPath, name],
  };
}

/** A Java with its compiler, and the class path of Curator. */
export function javaWithCurator(): ZooKeeperInstallation | undefined {
  const jars = ['recipes', 'framework', 'client'].map((part) => join(DEBIAN_JARS, `curator-${part}.jar`));
  if (whyNoZooKeeper() !== undefined || !jars.every((jar) => existsSync(jar))) return undefined;
  const { java, classPath } = findZooKeeper();
  // Every JDK has one beside it, and to ask for its modules is to start a JVM.
  if (!existsSync(join(dirname(java), 'javac'))) return undefined;
  return { java, classPath: [...jars, join(DEBIAN_JARS, 'guava.jar'), classPath].join(delimiter) };
}

/** The shell of Apache ZooKeeper. */
export function zkCli(): Command | undefined {
  return existsSync(ZKCLI) ? { program: ZKCLI, args: [] } : undefined;
}
