import { execFileSync } from 'node:child_process';
import { delimiter, resolve } from 'node:path';
import type { KindName } from '../kinds.js';
import { javaWithCurator, type Command } from '../../../test/interop/installations.js';

const SOURCE = resolve('tools/bench/programs/CuratorWorker.java');

/** Compiles the worker once, so that its processes start faster. They run with the JVM's own settings. */
export function compiledCurator(directory: string, kind: KindName): Command {
  const { java, classPath } = javaWithCurator()!;
  const javac = ['--module', 'jdk.compiler/com.sun.tools.javac.Main'];
  execFileSync(java, [...javac, '-nowarn', '-d', directory, '-cp', classPath, SOURCE], { stdio: 'pipe' });
  return { program: java, args: ['-cp', [directory, classPath].join(delimiter), 'CuratorWorker', kind] };
}
