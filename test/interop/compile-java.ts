import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ZooKeeperInstallation } from '../support/zookeeper-installation.js';

/** Compiles sources of Java into a directory. */
export async function compileJava(
  { java, classPath }: ZooKeeperInstallation,
  directory: string,
  ...sources: readonly string[]
): Promise<void> {
  const javac = ['--module', 'jdk.compiler/com.sun.tools.javac.Main'];
  await promisify(execFile)(java, [...javac, '-nowarn', '-d', directory, '-cp', classPath, ...sources]);
}
