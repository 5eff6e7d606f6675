import type { LockMode } from '../../lib/index.js';
import type { HistoryEvent } from '../support/lock-history.js';
import { ForeignProcess } from './foreign-process.js';
import type { Command } from './installations.js';

export interface Turns {
  readonly grants: number;
  readonly holdMs: number;
}

/** Offset of the transaction id in a fencing token, in bits. */
export const TOKEN_SHIFT = 11n;

interface Line {
  readonly what: 'ready' | 'acquired' | 'releasing';
  /** `CLOCK_MONOTONIC`, as `process.hrtime` reads it. */
  readonly at: string;
  readonly czxid: string;
  /** @default 'exclusive' */
  readonly mode?: LockMode;
}

/** A program that locks with a library of another language, and its history as our checker reads it. */
export class ForeignLocker implements AsyncDisposable {
  private constructor(
    private readonly process: ForeignProcess,
    private readonly resource: string,
  ) {}

  /** Resolves when it has a session and waits for `go`. */
  static async start(
    command: Command,
    connectString: string,
    lockPath: string,
    { grants, holdMs }: Turns,
    ...more: string[]
  ): Promise<ForeignLocker> {
    const args = [connectString, lockPath, String(grants), String(holdMs), ...more];
    const process = ForeignProcess.start(command, args);
    const locker = new ForeignLocker(process, lockPath.slice(lockPath.lastIndexOf('/') + 1));
    await process.line((line) => line.includes('"ready"'));
    return locker;
  }

  /** Resolves after all its turns. */
  async go(): Promise<void> {
    this.process.say('go');
    await this.process.end();
  }

  get pid(): number {
    return this.process.pid;
  }

  /** Its tokens are those that the lock service would derive from its contenders. */
  get history(): HistoryEvent[] {
    return this.process.lines
      .filter((line) => line.startsWith('{') && !line.includes('"ready"'))
      .map((line) => JSON.parse(line) as Line)
      .map(({ what, at, czxid, mode }) => ({
        at: BigInt(at),
        pid: this.pid,
        what: what as 'acquired' | 'releasing',
        resource: this.resource,
        token: BigInt(czxid) << TOKEN_SHIFT,
        mode,
      }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.process[Symbol.asyncDispose]();
  }
}
