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
  readonly replica: string;
  readonly cron: string;
  readonly workMs: number;
}

export interface RunRecord {
  readonly what: 'began' | 'ended';
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

export interface CronReplicasOptions {
  readonly connectString: string;
  readonly cron: string;
  readonly workMs: number;
  /** The difference of the clock of each replica from the real time, s. */
  readonly skews: readonly number[];
}

interface Replica {
  readonly child: ChildProcess;
  readonly clock: FakeTime;
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
    await Promise.all(options.skews.map((skew) => replicas.#start(`replica at ${skew} s`, skew)));
    return replicas;
  }

  /** All runs so far, in the order in which they began. */
  get runs(): readonly Run[] {
    const runs = new Map<string, Run>();
    for (const { what, at, ...run } of this.#records()) {
      const key = `${run.pid}:${run.token}`;
      if (what === 'began') runs.set(key, { ...run, began: at, ended: undefined });
      else runs.set(key, { ...runs.get(key)!, ended: at });
    }
    return [...runs.values()];
  }

  /** Resolves when this many scheduled times have been completed. */
  async completed(count: number): Promise<void> {
    const isDone = (): boolean => this.runs.filter(({ ended }) => ended !== undefined).length >= count;
    await eventually(isDone, { timeoutMs: 60_000 + count * 3_000, describe: `${count} completed runs` });
  }

  /** Kills the replica that runs the job next, in the middle of the run, and starts it again. */
  async killRunner(): Promise<void> {
    await writeFile(this.#killFile, '');
    const exits = Array.from(this.#replicas.values(), ({ exited }) => exited);
    await this.#start(await Promise.race(exits));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { child, clock, exited } of this.#replicas.values()) {
      if (child.connected) child.disconnect();
      await exited;
      await clock[Symbol.asyncDispose]();
    }
    await rm(this.directory, { recursive: true, force: true });
  }

  async #start(replica: string, skew?: number): Promise<void> {
    const { connectString, cron, workMs } = this.options;
    const clock = this.#replicas.get(replica)?.clock ?? (await FakeTime.create());
    if (skew !== undefined) await clock.step(skew);
    const options: CronProcessOptions = {
      // A killed process leaves the queue at once: the session timeout may be longer than the interval of the job.
      crashGuard: true,
      connectString,
      file: this.#file,
      killFile: this.#killFile,
      replica,
      cron,
      workMs,
    };
    const child = fork(builtProgram('test/processes/cron-process'), [JSON.stringify(options)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: { ...process.env, ...clock.env },
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

  #records(): RunRecord[] {
    if (!existsSync(this.#file)) return [];
    const lines = readFileSync(this.#file, 'utf8').split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line) as RunRecord);
  }
}

/** What is wrong with the runs of a job, as sentences. */
export function violations(runs: readonly Run[], intervalMs: number): string[] {
  const found: string[] = [];
  const completed = runs.filter(({ ended }) => ended !== undefined);
  const times = completed.map(({ tick }) => tick);
  for (const [index, tick] of times.entries()) {
    const before = times[index - 1];
    if (before === undefined) continue;
    if (tick <= before) found.push(`${iso(tick)} was completed after ${iso(before)}`);
    if (tick > before + intervalMs) found.push(`no run between ${iso(before)} and ${iso(tick)}`);
    if (completed[index]!.previous !== before) found.push(`${iso(tick)} did not follow ${iso(before)}`);
  }
  for (const [index, run] of runs.entries()) {
    const next = runs[index + 1];
    if (next === undefined) continue;
    // A killed process runs until it is killed, which is before its lock is free.
    if (run.ended !== undefined && next.began < run.ended)
      found.push(`${iso(next.tick)} began before ${iso(run.tick)} ended`);
    if (BigInt(next.token) <= BigInt(run.token)) found.push(`${iso(next.tick)} has an older token`);
    if (run.ended === undefined && next.tick !== run.tick)
      found.push(`${iso(run.tick)} was not run again, but ${iso(next.tick)}`);
  }
  return found;
}

function iso(time: number): string {
  return new Date(time).toISOString();
}
