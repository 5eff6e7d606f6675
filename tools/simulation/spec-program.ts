import { execFile } from 'node:child_process';
import { builtProgram } from '../../test/support/built-program.js';

const PROGRAM = builtProgram('tools/simulation/main');

/** Of the simulator, run in a process of its own: simulated processes that are killed leave timers, and the library's logger is global. */
export interface ProgramEnd {
  readonly code: number;
  readonly output: string;
}

/** Runs the simulator with these arguments. */
export function simulate(...args: readonly string[]): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    const options = { maxBuffer: 2 ** 26 };
    const program = execFile(process.execPath, [PROGRAM, ...args], options, (_, stdout, stderr) =>
      resolve({ code: program.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}
