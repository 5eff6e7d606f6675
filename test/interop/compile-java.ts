import { execFileSync } from 'node:child_process';
import type { ZooKeeperInstallation } from '../support/zookeeper-installation.js';

/** Compiles sources of Java into a directory. */
export function compileJava(
  { java, classPath }: ZooKeeperInstallation,
  directory: string,
  ...sources: readonly string[]
): void {
  const javac = ['--module', 'jdk.compiler/com.sun.tools.javac.Main'];
  execFileSync(java, [...javac, '-nowarn', '-d', directory, '-cp', classPath, ...sources], { stdio: 'pipe' });
}
