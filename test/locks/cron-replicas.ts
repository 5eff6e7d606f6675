import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LockModuleOptions } from '../../lib/index.js';
import { builtProgram } from '../support/built-program.js';
import { eventually } from '../support/eventually.js';
import { FakeTime } from '../support/fake-time.js';

export interface CronProcessOptions extends LockModuleOptions {
  /** Runs are appended to it. */
  readonly file: string;
  /** If it exists, the process removes it in the middle of a run, and dies. */
  readonly killFile: string;
  /** While it exists, runs do not end. */
  readonly holdFile: string;
  readonly replica: string;
  readonly cron: string;
  readonly workMs: number;
}

export interface RunRecord {
  readonly what: 'began' | 'held' | 'ended';
  readonly replica: string;
  readonly pid: number;
  /** ms, by a clock that all processes share and no test fakes. */
  readonly at: number;
  readonly tick: number;
  readonly previous: number | null;
  readonly token: string;
}

/** One run of the job. */
export interface Run extends Omit<RunRecord, 'what' | 'at'> {
  readonly began: number;
  /** Undefined if the process was killed. */
  readonly ended: number | undefined;
}

export interface CronReplicasOptions extends Pick<LockModuleOptions, 'sessionTimeout' | 'crashGuard'> {
  readonly connectString: string;
  readonly cron: string;
  readonly workMs: number;
  /** The difference of the clock of each replica from the real time, s. Others than 0 need faketime. */
  readonly skews: readonly number[];
}

interface Replica {
  readonly child: ChildProcess;
  /** Undefined for the real one. */
  readonly clock: FakeTime | undefined;
  /** Its name, when the process has ended. */
  readonly exited: Promise<string>;
}

/** Replicas of an application with a cron job, each a process with a clock of its own. */
export class CronReplicas implements AsyncDisposable {
  readonly #replicas = new Map<string, Replica>();

  private constructor(
    private readonly options: CronReplicasOptions,
    private readonly directory: string,
  ) {}

  static async start(options: CronReplicasOptions): Promise<CronReplicas> {
    const directory = await mkdtemp(join(tmpdir(), 'cron-replicas-'));
    const replicas = new CronReplicas(options, directory);
    try {
      await Promise.all(
        options.skews.map(async (skew, index) => {
          const clock = skew === 0 ? undefined : await FakeTime.create();
          await clock?.step(skew);
          await replicas.#start(`replica ${index} at ${skew} s`, clock);
        }),
      );
    } catch (error) {
      await replicas[Symbol.asyncDispose]();
      throw error;
    }
    return replicas;
  }

  /** All runs so far, in the order in which they began. */
  get runs(): readonly Run[] {
    const runs = new Map<string, Run>();
    for (const { what, at, ...run } of this.#records()) {
      const key = `${run.pid}:${run.token}`;
      if (what === 'began') runs.set(key, { ...run, began: at, ended: undefined });
      if (what === 'ended') runs.set(key, { ...runs.get(key)!, ended: at });
    }
    return [...runs.values()];
  }

  /** Resolves when this many scheduled times have been completed. */
  async completed(count: number): Promise<void> {
    const isDone = (): boolean => this.runs.filter(({ ended }) => ended !== undefined).length >= count;
    await eventually(isDone, { timeoutMs: 60_000 + count * 3_000, describe: `${count} completed runs` });
  }

  /** A run, for a scheduled time of all replicas, does not end until `letGo`. Resolves in the middle of it. */
  async hold(): Promise<void> {
    // Replicas do not queue for times before their start.
    const now = Date.now() + Math.max(...this.options.skews) * 1_000;
    const isForAll = (): boolean => this.runs.some(({ tick, ended }) => ended !== undefined && tick > now);
    await eventually(isForAll, { describe: 'a run for all replicas' });
    const held = (): number => this.#records().filter(({ what }) => what === 'held').length;
    const before = held();
    await writeFile(this.#holdFile, '');
    await eventually(() => held() > before, { describe: 'a run' });
  }

  async letGo(): Promise<void> {
    await rm(this.#holdFile, { force: true });
  }

  /**
   * Kills the replica that runs the job, or that runs it next, in the middle of the run. Resolves with its name when it has
   * ended.
   */
  async kill(): Promise<string> {
    await writeFile(this.#killFile, '');
    return Promise.race(Array.from(this.#replicas.values(), ({ exited }) => exited));
  }

  /** Like `kill`, and starts the replica again. */
  async killRunner(): Promise<void> {
    const replica = await this.kill();
    await this.#start(replica, this.#replicas.get(replica)?.clock);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.letGo();
    for (const { child, clock, exited } of this.#replicas.values()) {
      if (child.connected) child.disconnect();
      await exited;
      await clock?.[Symbol.asyncDispose]();
    }
    await rm(this.directory, { recursive: true, force: true });
  }

  async #start(replica: string, clock: FakeTime | undefined): Promise<void> {
    const { skews: _skews, ...given } = this.options;
    const options: CronProcessOptions = {
      // A killed process leaves the queue at once: the session timeout may be longer than the interval of the job.
      crashGuard: true,
      ...given,
      file: this.#file,
      killFile: this.#killFile,
      holdFile: this.#holdFile,
      replica,
    };
    const child = fork(builtProgram('test/processes/cron-process'), [JSON.stringify(options)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, ...clock?.env },
    });
    const exited = once(child, 'exit').then(() => replica);
    this.#replicas.set(replica, { child, clock, exited });
    const first = await Promise.race([once(child, 'message'), exited]);
    if (first === replica)
      throw new Error(`${replica} ended with code ${child.exitCode} before it had started`);
  }

  get #file(): string {
    return join(this.directory, 'runs');
  }

  get #killFile(): string {
    return join(this.directory, 'kill');
  }

  get #holdFile(): string {
    return join(this.directory, 'hold');
  }

  #records(): RunRecord[] {
    if (!existsSync(this.#file)) return [];
    const lines = readFileSync(this.#file, 'utf8').split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line) as RunRecord);
  }
}
