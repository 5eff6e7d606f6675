import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from './process-table.js';

/** Where a process with libfaketime has a semaphore and shared memory, named by its pid. */
const SHARED_OBJECTS = '/dev/shm';

/** Sets the wall clock of child processes with libfaketime; their monotonic clock is unchanged. */
export class FakeTime implements AsyncDisposable {
  private constructor(
    private readonly directory: string,
    private readonly library: string,
  ) {}

  static async create(): Promise<FakeTime> {
    await removeLeftovers();
    const fakeTime = new FakeTime(await mkdtemp(join(tmpdir(), 'fake-time-')), preloadedLibrary());
    await fakeTime.step(0);
    return fakeTime;
  }

  /** The environment variables of a child process. */
  get env(): Record<string, string> {
    return {
      LD_PRELOAD: this.library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_RESET: '1',
    };
  }

  /** Sets the difference from the real wall clock, seconds. The file is renamed, so that no child reads half of it. */
  async step(seconds: number): Promise<void> {
    const next = `${this.#file}.next`;
    await writeFile(next, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}`);
    await rename(next, this.#file);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }

  get #file(): string {
    return join(this.directory, 'offset');
  }
}

/** What killed processes have left behind: libfaketime refuses to start in a process that is given the pid of one of them. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(SHARED_OBJECTS).catch(() => [])) {
    const pid = /^(?:sem\.)?faketime_(?:sem|shm)_(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) await rm(join(SHARED_OBJECTS, name), { force: true });
  }
}

/** The `faketime` command knows where its library is. */
function preloadedLibrary(): string {
  try {
    return execFileSync('faketime', ['-f', '+0', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' }).trim();
  } catch (cause) {
    throw new Error('These tests step the clock with faketime, which is not installed: npm run setup.', {
      cause,
    });
  }
}
