import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { builtProgram } from '../support/built-program.js';
import type { Measurement, ResourceCommand, ResourceMessage, ResourceSettings } from './resource-protocol.js';

const PROGRAM = builtProgram('test/processes/resource-process');
/** `queryObjects` is experimental in Node, which prints a warning. */
const NODE_OPTIONS = ['--expose-gc', '--disable-warning=ExperimentalWarning'];

/** Work in a separate process, which measures itself. */
export class ResourceProcess implements AsyncDisposable {
  private constructor(private readonly child: ChildProcess) {}

  /** @param cut called when the work requests a cut of its connection */
  static async start(settings: ResourceSettings, cut: () => void = () => {}): Promise<ResourceProcess> {
    const child = fork(PROGRAM, [JSON.stringify(settings)], { execArgv: NODE_OPTIONS });
    child.on('message', ({ type }: ResourceMessage) => type === 'cut' && cut());
    const resourceProcess = new ResourceProcess(child);
    await resourceProcess.#done();
    return resourceProcess;
  }

  async run(cycles: number): Promise<void> {
    await this.#command({ type: 'run', cycles });
  }

  async measure(): Promise<Measurement> {
    return (await this.#command({ type: 'measure' }))!;
  }

  /** Closes the work and resolves with what is left, when the process has exited without help. */
  async close(): Promise<Measurement> {
    const ended = once(this.child, 'exit');
    const measurement = await this.#command({ type: 'close' });
    const [code] = (await ended) as [number | null];
    if (code !== 0) throw new Error(`The resource process ended with code ${code}`);
    return measurement!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }

  #command(command: ResourceCommand): Promise<Measurement | undefined> {
    this.child.send(command);
    return this.#done();
  }

  #done(): Promise<Measurement | undefined> {
    return new Promise((resolve, reject) => {
      const ended = (code: number | null): void =>
        reject(new Error(`The resource process ended with code ${code}`));
      const heard = (message: ResourceMessage): void => {
        if (message.type !== 'done') return;
        this.child.off('message', heard).off('exit', ended);
        resolve(message.measurement);
      };
      this.child.on('message', heard).once('exit', ended);
    });
  }
}
