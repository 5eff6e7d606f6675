import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../src/main.js', import.meta.url));

const READY_WITHIN_MS = 30_000;
/** More than the 10 s that the lock module waits for work under its locks. */
const GONE_WITHIN_MS = 12_000;

export interface BoxOfficeSettings {
  readonly zookeeper: string;
  readonly dataDirectory: string;
}

/** One process of the built app. It reports by IPC when it is open, and closes with the channel. */
export class BoxOfficeProcess {
  readonly #child: ChildProcess;
  readonly #exited: Promise<unknown>;
  #output = '';
  #url: string | undefined;

  constructor(
    readonly name: string,
    { zookeeper, dataDirectory }: BoxOfficeSettings,
  ) {
    this.#child = spawn(process.execPath, [PROGRAM], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        ...process.env,
        ZOOKEEPER: zookeeper,
        BOX_OFFICE_DATA: dataDirectory,
        HOST: '127.0.0.1',
        PORT: '0',
        NO_COLOR: '1',
      },
    });
    const record = (chunk: Buffer) => (this.#output += chunk.toString());
    this.#child.stdout?.on('data', record);
    this.#child.stderr?.on('data', record);
    this.#exited = once(this.#child, 'exit');
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get url(): string {
    if (this.#url === undefined) throw new Error(`Process ${this.name} is not open yet`);
    return this.#url;
  }

  /** The output so far. */
  get output(): string {
    return this.#output;
  }

  async opened(): Promise<void> {
    const timeout = AbortSignal.timeout(READY_WITHIN_MS);
    try {
      const [message] = (await Promise.race([
        once(this.#child, 'message', { signal: timeout }),
        this.#exited.then(() => [undefined]),
      ])) as [{ url: string } | undefined];
      this.#url = message?.url;
    } catch (cause) {
      throw new Error(this.#failure(`did not open within ${READY_WITHIN_MS / 1_000} s`), { cause });
    }
    if (this.#url === undefined) throw new Error(this.#failure('exited before it was open'));
  }

  /** Sends SIGTERM, so that it releases its locks; then SIGKILL, if that takes too long. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), GONE_WITHIN_MS);
    await this.#exited;
    clearTimeout(timer);
  }

  #failure(what: string): string {
    const lastLines = this.#output.trimEnd().split('\n').slice(-15).join('\n');
    return `Process ${this.name} ${what}. The end of its log:\n${lastLines}`;
  }
}
