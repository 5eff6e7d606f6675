import { delimiter, resolve } from 'node:path';
import type { KindName } from '../kinds.js';
import { compileJava } from '../../../test/interop/compile-java.js';
import { javaWithCurator, type Command } from '../../../test/interop/installations.js';

const SOURCE = resolve('tools/bench/programs/CuratorWorker.java');

/** Compiles the worker once, so that its processes start faster. They run with the JVM's own settings. */
export async function compiledCurator(directory: string, kind: KindName): Promise<Command> {
  const found = javaWithCurator()!;
  await compileJava(found, directory, SOURCE);
  const classPath = [directory, found.classPath].join(delimiter);
  return { program: found.java, args: ['-cp', classPath, 'CuratorWorker', kind] };
}
