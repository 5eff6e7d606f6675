import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LockBusyError } from '../../../../lib/locking/errors/lock-busy.error.js';
import { LockTimeoutError } from '../../../../lib/locking/errors/lock-timeout.error.js';
import { LockUnavailableError } from '../../../../lib/locking/errors/lock-unavailable.error.js';
import type { RawSession } from '../../../../test/support/raw-session.js';
import { RawSessionError } from '../../../../test/support/raw-session.js';
import type { TestedHold, TestedLockOptions } from '../../../attempts/tested-locks.interface.js';
import { defaultsOf } from '../module-options.js';
import type { WorkerSettings } from '../worker-protocol.js';
import { FlagHold } from './flag-hold.js';
import { HandmadeLocks } from './handmade-locks.js';
import { NaiveSession } from './naive-session.js';

/** The defects of a naive lock. */
export interface NaiveRules {
  /** Orders contenders by name. */
  readonly compare: (a: string, b: string) => number;
  /** The contender that a release deletes: its own, or the head of the queue. */
  readonly deletes: 'own' | 'head';
}

const NODE_EXISTS = -110;
const POLL_MS = 20;

export function bySequence(a: string, b: string): number {
  return Number(a.slice(-10)) - Number(b.slice(-10));
}

export function byName(a: string, b: string): number {
  return a < b ? -1 : 1;
}

/** A simple implementation of the recipe, with polling instead of watches. */
export class NaiveLocks extends HandmadeLocks {
  readonly #session: NaiveSession;
  readonly #holds = new Set<FlagHold>();

  constructor(
    private readonly settings: WorkerSettings,
    private readonly rules: NaiveRules,
    private readonly queued: (resource: string, options: TestedLockOptions) => void,
  ) {
    super();
    this.#session = new NaiveSession(settings.servers, settings.sessionTimeout, () => {
      for (const hold of this.#holds) hold.lose('session');
      this.#holds.clear();
    });
  }

  async lockOne(resource: string, options: TestedLockOptions): Promise<TestedHold> {
    const path = `${this.settings.root}/${resource}`;
    try {
      const session = await this.#session.current();
      await makePath(session, path);
      const created = await session.create2(`${path}/_c_${randomUUID()}-lock-`, 'ephemeral-sequential');
      await this.#untilHead(session, path, created.path, resource, options);
      return this.#hold(session, path, created, resource, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof LockBusyError || error instanceof LockTimeoutError) throw error;
      throw new LockUnavailableError(resource, String(error), { cause: error });
    }
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  async #untilHead(
    session: RawSession,
    path: string,
    me: string,
    resource: string,
    options: TestedLockOptions,
  ): Promise<void> {
    const { wait = defaultsOf(this.settings.module).wait, signal } = options;
    const deadline = performance.now() + wait;
    for (let first = true; (await this.#head(session, path)) !== me; first = false) {
      if (first && wait > 0) this.queued(resource, options);
      const late = performance.now() >= deadline;
      if (late || signal?.aborted) await session.delete(me);
      signal?.throwIfAborted();
      if (wait === 0) throw new LockBusyError(resource, undefined);
      if (late) throw new LockTimeoutError(resource, wait, undefined);
      await sleep(POLL_MS);
    }
  }

  async #head(session: RawSession, path: string): Promise<string> {
    const [head] = (await session.getChildren(path)).sort(this.rules.compare);
    return `${path}/${head ?? ''}`;
  }

  #hold(
    session: RawSession,
    path: string,
    created: Awaited<ReturnType<RawSession['create2']>>,
    resource: string,
    { ttl = defaultsOf(this.settings.module).ttl }: TestedLockOptions,
  ): FlagHold {
    const hold = new FlagHold(resource, created.stat.czxid, ttl, async () => {
      this.#holds.delete(hold);
      try {
        await session.delete(this.rules.deletes === 'own' ? created.path : await this.#head(session, path));
      } catch {
        // The node ends with its session.
      }
    });
    this.#holds.add(hold);
    return hold;
  }
}

async function makePath(session: RawSession, path: string): Promise<void> {
  const [, ...names] = path.split('/');
  for (const last of names.keys()) {
    await session.create2(`/${names.slice(0, last + 1).join('/')}`, 'container').catch((error: unknown) => {
      if (!(error instanceof RawSessionError && error.code === NODE_EXISTS)) throw error;
    });
  }
}
