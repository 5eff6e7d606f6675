import type {
  EnterRequest,
  Grant,
  Busy,
  LockMode,
  OwnerRecord,
} from '../../lib/locking/lock-provider.interface.js';
import { LazyAbort } from '../../lib/locking/lazy-abort.js';
import { LocalQueues } from '../../lib/locking/local-queue/local-queues.js';
import { FakeClock, settled } from './fake-clock.js';
import { ScriptedStore } from './scripted-store.js';

export interface Caller {
  readonly name: string;
  readonly abort: LazyAbort;
  /** What it has been told, and how its attempt ended, in words. */
  readonly log: string[];
  /** Its grant, once it has one. */
  grant: Grant | undefined;
}

/** Local queues over a scripted store, and callers by name. */
export class LocalQueueHarness {
  readonly clock = new FakeClock();
  readonly store = new ScriptedStore();
  readonly queues: LocalQueues;
  /** Who has been granted the lock so far, in order. */
  readonly granted: string[] = [];
  /** Whoever is granted the lock releases it in the same turn of the event loop. */
  releasesAtOnce = false;
  /** Callers who do not want the lock any more when they are granted it. */
  readonly declining = new Set<string>();
  readonly #callers = new Map<string, Caller>();
  readonly #mode: LockMode;

  constructor({
    handOver = 0,
    linger = 0,
    mode = 'exclusive',
  }: { handOver?: number; linger?: number; mode?: LockMode } = {}) {
    this.#mode = mode;
    this.queues = new LocalQueues({ store: this.store, clock: this.clock, handOver, linger });
  }

  /** Callers ask, in this order. */
  async ask(...names: string[]): Promise<void> {
    for (const name of names) this.#ask(name, {});
    await settled();
  }

  async askFor(name: string, options: Partial<EnterRequest>): Promise<Caller> {
    const caller = this.#ask(name, options);
    await settled();
    return caller;
  }

  caller(name: string): Caller {
    return this.#callers.get(name)!;
  }

  async release(name: string, passOn = true): Promise<void> {
    this.caller(name).grant!.release(passOn);
    await settled();
  }

  #ask(name: string, options: Partial<EnterRequest>): Caller {
    const abort = new LazyAbort();
    const caller: Caller = { name, abort, log: [], grant: undefined };
    this.#callers.set(name, caller);
    const outcome = this.queues.enter({
      resource: 'order',
      mode: this.#mode,
      failure: 'open',
      owner: ownerNamed(name),
      fair: true,
      immediate: false,
      maxWaiters: Infinity,
      describeHolder: false,
      abort,
      onQueued: ({ requeued, ahead }) => caller.log.push(`${requeued ? 'requeued' : 'queued'} ${ahead}`),
      onPredecessor: ({ owner }) => caller.log.push(`behind ${owner}`),
      ...options,
    });
    outcome.then(
      (granted) => this.#ended(caller, granted),
      (error: unknown) => caller.log.push(`failed: ${String(error)}`),
    );
    return caller;
  }

  #ended(caller: Caller, outcome: Grant | Busy): void {
    if (outcome.busy) return void caller.log.push(`busy ${outcome.holder ?? ''}${outcome.waiters ?? ''}`);
    if (this.declining.has(caller.name)) return void outcome.release(true);
    caller.grant = outcome;
    caller.log.push('granted');
    this.granted.push(caller.name);
    outcome.listen({
      lost: (reason) => caller.log.push(`lost: ${reason}`),
      revokeRequested: () => caller.log.push('revoke'),
    });
    if (this.releasesAtOnce) outcome.release(true);
  }
}

export function ownerNamed(owner: string): OwnerRecord {
  return { owner, host: 'web-1', pid: 1, since: '2026-11-22T00:00:00.000Z' };
}
