import { join } from 'node:path';
import { FaultProxy } from '../../../test/support/fault-proxy.js';
import type { Endpoint } from '../../../test/support/raw-connection.js';
import type { KnownSession } from '../../../test/support/raw-records.js';
import type { Incarnation } from '../../history/run-history.js';
import { actorOf } from '../../history/names.js';
import { JournalFile } from '../../history/journal-file.js';
import type { ProcessEvent } from '../../history/process-event.js';
import type { WorkerCommand, WorkerMessage, WorkerSettings } from '../worker/worker-protocol.js';
import { Child, type ChildExit } from './child.js';
import { within } from './within.js';

/** What all incarnations of a process have in common. */
export interface ProcessSlotSettings {
  /** The number of the process, from 1. */
  readonly process: number;
  readonly servers: readonly Endpoint[];
  /** The directory of the journals. */
  readonly directory: string;
  readonly worker: Omit<WorkerSettings, 'actor' | 'journal' | 'servers'>;
}

/** A closed process that has not exited by then has leaked something. Its work may outlast its lock by some seconds. */
const EXIT_MS = 40_000;
const SEED_STRIDE = 1_000;

/** One process of the run: its proxies, and its incarnations, one after another. */
export class ProcessSlot {
  readonly incarnations: Incarnation[] = [];
  /** The attempts that hold a lock, according to the process. */
  readonly holds = new Set<string>();
  /** The attempts that have ended without a lock, of all incarnations. */
  readonly #failed = new Set<string>();
  readonly #proxies: FaultProxy[] = [];
  #child: Child | undefined;
  #stopped = false;
  #startedAt = 0n;
  #credentials: KnownSession | undefined;
  #finished!: () => void;
  #finish = new Promise<void>((resolve) => (this.#finished = resolve));

  constructor(private readonly settings: ProcessSlotSettings) {}

  get name(): string {
    return `p${this.settings.process}`;
  }

  get proxies(): readonly FaultProxy[] {
    return this.#proxies;
  }

  get running(): boolean {
    return this.#child !== undefined;
  }

  /** The credentials of the current session of the process. */
  get credentials(): KnownSession | undefined {
    return this.#credentials;
  }

  async open(): Promise<void> {
    for (const server of this.settings.servers)
      this.#proxies.push(await FaultProxy.start(server, { keepFrames: false }));
    await this.start();
  }

  /** Starts the next incarnation. */
  async start(): Promise<void> {
    const number = this.incarnations.length + 1;
    const actor = `${this.name}.${number}`;
    const settings: WorkerSettings = {
      ...this.settings.worker,
      seed: this.settings.worker.seed + SEED_STRIDE * number,
      actor,
      journal: this.#journal(actor),
      servers: this.#proxies.map(({ host, port }) => ({ host, port })),
    };
    this.#startedAt = process.hrtime.bigint();
    this.holds.clear();
    this.#finish = new Promise((resolve) => (this.#finished = resolve));
    const { child } = await Child.start<WorkerMessage>('worker', settings, (message) =>
      this.#receive(message),
    );
    this.#child = child;
    if (this.#stopped) return child.kill();
    void child.exited.then(({ at, code, signal }) => {
      if (this.#child === child)
        this.#recordExit(child, 'crashed', at, `ended with ${String(code ?? signal)}`);
    });
  }

  /** The attempt of this process has failed, or its incarnation has ended: nothing works under its lock. */
  isOver(attempt: string): boolean {
    const actor = actorOf(attempt);
    return this.#failed.has(attempt) || this.incarnations.some((ended) => ended.actor === actor);
  }

  send(command: WorkerCommand): void {
    this.#child?.send(command);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.signal(signal);
  }

  /** Sends SIGKILL; resolves when the process has exited. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#recordExit(child, 'killed', process.hrtime.bigint());
    await child.kill();
  }

  /** Starts no further attempts and waits for those in progress. False if they take longer than `ms`. */
  async finish(ms: number): Promise<boolean> {
    if (!this.running) return true;
    this.send({ type: 'finish' });
    return within(ms, this.#finish);
  }

  /** Closes the application; the process must then exit without being killed. */
  async close(end: 'closed' | 'shutDown'): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    child.send({ type: 'close' });
    if (await within(EXIT_MS, child.exited)) this.#recordClose(child, end, await child.exited);
    else this.#recordExit(child, 'stuck', process.hrtime.bigint());
    await child.kill();
  }

  #recordClose(child: Child, end: 'closed' | 'shutDown', { code, signal }: ChildExit): void {
    const at = process.hrtime.bigint();
    if (code === 0) this.#recordExit(child, end, at);
    else this.#recordExit(child, 'crashed', at, `ended with ${String(code ?? signal)} when it closed`);
  }

  async history(): Promise<ProcessEvent[]> {
    const journals = this.incarnations.map(({ actor }) =>
      JournalFile.read<ProcessEvent>(this.#journal(actor)),
    );
    return (await Promise.all(journals)).flat();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#child?.kill();
    await Promise.all(this.#proxies.map((proxy) => proxy.stop()));
  }

  #recordExit({ pid }: Child, end: Incarnation['end'], to: bigint, detail?: string): void {
    const { process, worker } = this.settings;
    const actor = `${this.name}.${this.incarnations.length + 1}`;
    const { sessionTimeout, module } = worker;
    const { connectTimeout, drainTimeout, localQueue = true, handOver, linger } = module;
    this.incarnations.push({
      actor,
      process,
      pid,
      sessionTimeout,
      connectTimeout,
      hasOneSession: module.maxSessionPathBytes === undefined,
      drainTimeout,
      localQueue,
      handOver,
      linger,
      from: this.#startedAt,
      to,
      end,
      detail,
    });
    this.#child = undefined;
    this.#credentials = undefined;
  }

  #receive(message: WorkerMessage): void {
    if (message.type === 'session') this.#credentials = message.credentials;
    if (message.type === 'finished') this.#finished();
    if (message.type === 'held') this.holds.add(message.attempt);
    if (message.type === 'released') this.holds.delete(message.attempt);
    if (message.type === 'failed') this.#failed.add(message.attempt);
  }

  #journal(actor: string): string {
    return join(this.settings.directory, `${actor}.jsonl`);
  }
}
