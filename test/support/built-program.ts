import { resolve } from 'node:path';

/** The compiled file of a program of this repository, such as `test/processes/lock-process`. Tests and tools run at its root. */
export function builtProgram(program: string): string {
  return resolve('build', `${program}.js`);
}
