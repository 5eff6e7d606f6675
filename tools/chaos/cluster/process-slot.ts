import { join } from 'node:path';
import { FaultProxy } from '../../../test/support/fault-proxy.js';
import type { Endpoint } from '../../../test/support/raw-connection.js';
import type { KnownSession } from '../../../test/support/raw-records.js';
import type { Life } from '../history/chaos-history.js';
import { Journal } from '../history/journal.js';
import type { ProcessEvent } from '../history/process-event.js';
import type { WorkerCommand, WorkerMessage, WorkerSettings } from '../worker/worker-protocol.js';
import { Child } from './child.js';
import { within } from './within.js';

/** What all lives of one process have in common. */
export interface SeatSettings {
  /** From 1. */
  readonly process: number;
  readonly servers: readonly Endpoint[];
  /** Where the journals go. */
  readonly directory: string;
  readonly worker: Omit<WorkerSettings, 'actor' | 'journal' | 'servers'>;
}

/** A process that has not let go by then has left something behind. Its work may outlast its lock by some seconds. */
const EXIT_MS = 40_000;
const SEED_STRIDE = 1_000;

/** The place of one process in the run: its own ways to the servers, and one life after the other. */
export class Seat {
  readonly lives: Life[] = [];
  /** Attempts of which the process has told that they hold their lock. */
  readonly holds = new Set<string>();
  readonly #proxies: FaultProxy[] = [];
  #child: Child | undefined;
  #stopped = false;
  #born = 0n;
  #credentials: KnownSession | undefined;
  #finished!: () => void;
  #finish = new Promise<void>((resolve) => (this.#finished = resolve));

  constructor(private readonly settings: SeatSettings) {}

  get name(): string {
    return `p${this.settings.process}`;
  }

  get proxies(): readonly FaultProxy[] {
    return this.#proxies;
  }

  get running(): boolean {
    return this.#child !== undefined;
  }

  /** Of the session that the process has now. */
  get credentials(): KnownSession | undefined {
    return this.#credentials;
  }

  async open(): Promise<void> {
    for (const server of this.settings.servers)
      this.#proxies.push(await FaultProxy.start(server, { keepFrames: false }));
    await this.live();
  }

  /** Begins another life. */
  async live(): Promise<void> {
    const number = this.lives.length + 1;
    const actor = `${this.name}.${number}`;
    const settings: WorkerSettings = {
      ...this.settings.worker,
      seed: this.settings.worker.seed + SEED_STRIDE * number,
      actor,
      journal: this.#journal(actor),
      servers: this.#proxies.map(({ host, port }) => ({ host, port })),
    };
    this.#born = process.hrtime.bigint();
    this.holds.clear();
    this.#finish = new Promise((resolve) => (this.#finished = resolve));
    const { child } = await Child.start<WorkerMessage>('worker', settings, (message) =>
      this.#receive(message),
    );
    this.#child = child;
    if (this.#stopped) return child.kill();
    void child.exited.then(({ at, code, signal }) => {
      if (this.#child === child) this.#buried(child, 'crashed', at, `ended with ${String(code ?? signal)}`);
    });
  }

  send(command: WorkerCommand): void {
    this.#child?.send(command);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.signal(signal);
  }

  /** SIGKILL; nothing is running when it resolves. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#buried(child, 'killed', process.hrtime.bigint());
    await child.kill();
  }

  /** Lets everything that was begun end, and nothing begin. False if that took too long. */
  async finish(ms: number): Promise<boolean> {
    if (!this.running) return true;
    this.send({ type: 'finish' });
    return within(ms, this.#finish);
  }

  /** Ends the process as an application ends: it has to go by itself. */
  async close(end: 'closed' | 'shutDown'): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    child.send({ type: 'close' });
    const gone = await within(EXIT_MS, child.exited);
    this.#buried(child, gone ? end : 'stuck', process.hrtime.bigint());
    await child.kill();
  }

  async history(): Promise<ProcessEvent[]> {
    const journals = this.lives.map(({ actor }) => Journal.read<ProcessEvent>(this.#journal(actor)));
    return (await Promise.all(journals)).flat();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#child?.kill();
    await Promise.all(this.#proxies.map((proxy) => proxy.stop()));
  }

  #buried({ pid }: Child, end: Life['end'], to: bigint, detail?: string): void {
    const { process, worker } = this.settings;
    const actor = `${this.name}.${this.lives.length + 1}`;
    const { sessionTimeout, module } = worker;
    const { connectTimeout } = module;
    this.lives.push({
      actor,
      process,
      pid,
      sessionTimeout,
      connectTimeout,
      from: this.#born,
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
    if (message.type === 'holds') this.holds.add(message.attempt);
    if (message.type === 'letGo') this.holds.delete(message.attempt);
  }

  #journal(actor: string): string {
    return join(this.settings.directory, `${actor}.jsonl`);
  }
}
