import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface ZooKeeperInstallation {
  /** The executable. */
  readonly java: string;
  /** The value for `java -cp`. */
  readonly classPath: string;
}

const DEBIAN_JARS = '/usr/share/java';
const OLDEST_JAVA = 17;

/** By executable: to ask one takes as long as to start a JVM. */
const majorVersions = new Map<string, number>();

/**
 * Finds ZooKeeper in `ZOOKEEPER_HOME` (an unpacked Apache download) or in Debian's `libzookeeper-java`, and a Java to
 * run it. Throws an error that says what to install.
 */
export function findZooKeeper(env: NodeJS.ProcessEnv = process.env): ZooKeeperInstallation {
  const classPath = env['ZOOKEEPER_HOME'] ? downloaded(env['ZOOKEEPER_HOME']) : packaged();
  return { java: findJava(env), classPath };
}

/** Returns what to install, in one sentence, or undefined if nothing is missing. */
export function whyNoZooKeeper(env?: NodeJS.ProcessEnv): string | undefined {
  try {
    findZooKeeper(env);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function downloaded(home: string): string {
  const lib = join(home, 'lib');
  const found = existsSync(lib) && readdirSync(lib).some((name) => /^zookeeper-\d.*\.jar$/.test(name));
  if (!found) {
    throw new Error(
      `ZOOKEEPER_HOME is ${home}, but there is no lib/zookeeper-<version>.jar in it: unset it and run "npm run setup".`,
    );
  }
  return [join(lib, '*'), join(home, 'conf')].join(delimiter);
}

function packaged(): string {
  const main = join(DEBIAN_JARS, 'zookeeper.jar');
  if (!existsSync(main)) {
    throw new Error(
      'ZooKeeper is not installed: run "npm run setup" (installs libzookeeper-java on Debian or Ubuntu), or set ZOOKEEPER_HOME to an unpacked Apache ZooKeeper download.',
    );
  }
  // The manifest of Debian's zookeeper.jar omits two dependencies: a logger, and the codec that Netty needs for TLS.
  const unnamed = ['slf4j-simple.jar', 'netty-codec.jar'].map((name) => join(DEBIAN_JARS, name));
  return [...unnamed.filter((jar) => existsSync(jar)), main].join(delimiter);
}

function findJava(env: NodeJS.ProcessEnv): string {
  const directories = [
    ...(env['JAVA_HOME'] ? [join(env['JAVA_HOME'], 'bin')] : []),
    ...(env['PATH'] ?? '').split(delimiter),
  ];
  const java = directories
    .map((directory) => join(directory, 'java'))
    .find((candidate) => existsSync(candidate) && majorVersion(candidate) >= OLDEST_JAVA);
  if (java === undefined) {
    throw new Error(
      `No Java ${OLDEST_JAVA} or newer in JAVA_HOME or PATH: run "npm run setup" (installs default-jre-headless on Debian or Ubuntu).`,
    );
  }
  return realpathSync(java);
}

function majorVersion(java: string): number {
  const known = majorVersions.get(java);
  if (known !== undefined) return known;
  const { stderr } = spawnSync(java, ['-version'], { encoding: 'utf8' });
  const version = Number(/version "(\d+)/.exec(stderr ?? '')?.[1] ?? 0);
  majorVersions.set(java, version);
  return version;
}
