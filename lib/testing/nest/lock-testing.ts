import type { Abstract, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import { filter, firstValueFrom } from 'rxjs';
import type { LockService } from '../../lock.service.js';
import type { LockEnvironment, OpenedLockService } from '../../lock-environment.interface.js';
import type { Clock } from '../../locking/clock.js';
import { KeepAlive } from '../../locking/keep-alive.js';
import type { Partition } from '../controls/server-controls.js';
import type { EmbeddedZooKeeper } from '../embedded-zookeeper.js';
import { ManualClock } from '../time/manual-clock.js';
import { LockAssertionError } from './lock-assertion.error.js';
import { purposesOf } from './purposes-of.js';
import { readQueues, type Contender, type QueueContents } from './queue-contents.js';
import { RecordedHolds, type RecordedHold } from './recorded-holds.js';
import { ServiceSessions } from './service-sessions.js';

/**
 * Names of the methods of a class.
 *
 * @publicApi
 */
export type MethodNameOf<T> = {
  [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never;
}[keyof T] &
  string;

/**
 * The locks of an application under test: current holders and waiters, past holds, and faults to inject.
 *
 * @publicApi
 * @example
 * const module = await Test.createTestingModule({ imports: [AppModule, LockTestingModule.forRoot()] }).compile();
 * const testing = module.get(LockTesting);
 *
 * await module.get(Payments).pay('42');
 *
 * testing.assertLocked(Payments, 'pay', 'order:42');
 * testing.assertNothingHeld();
 */
export class LockTesting implements OnModuleDestroy, OnApplicationShutdown {
  private readonly services: OpenedLockService[] = [];
  private readonly sessions = new ServiceSessions();
  private readonly recorded = new RecordedHolds();
  private closed = false;
  private fastForward: Promise<void> | undefined;

  /** Created by `LockTestingModule`. */
  constructor(
    /** The server to which all lock services of this application are connected. */
    readonly zookeeper: EmbeddedZooKeeper,
  ) {}

  /** @internal */
  get clock(): Clock {
    return this.zookeeper.clock;
  }

  /** @internal */
  get ensembles(): LockEnvironment['ensembles'] {
    const { host, port } = this.zookeeper;
    return [[{ host, port }]];
  }

  /** @internal */
  opened(opened: OpenedLockService): void {
    this.services.push(opened);
    this.recorded.record(opened);
    this.sessions.follow(opened);
  }

  /** Every hold of the application under test so far, in the order of the grants. */
  get holds(): readonly RecordedHold[] {
    return this.recorded.all;
  }

  /** The current holders of all locks, including those of other processes and libraries. */
  get holders(): readonly Contender[] {
    return this.queues.flatMap(({ holders }) => holders);
  }

  /** The current waiters for `resource`, in the order of the queue, or of the queues if several services have that name. */
  waiters(resource: string): readonly Contender[] {
    return this.queues.filter((queue) => queue.resource === resource).flatMap(({ waiters }) => waiters);
  }

  /**
   * The holds under which a locked method ran, in order: those with the purpose that the lock of the method has, or that of
   * the locked method that it overrides, which it may call with `super`. So an inherited method includes its runs in other
   * subclasses, and with the option `purpose`, all locks with that purpose are included. The purpose of a `LockInterceptor` is
   * known if that is bound to the method or to its class, not to the whole application.
   */
  holdsOf<T>(target: Abstract<T>, method: MethodNameOf<T>): readonly RecordedHold[] {
    const purposes = new Set<string | undefined>(purposesOf(target, method));
    return this.holds.filter(({ purpose }) => purposes.has(purpose));
  }

  /**
   * Fails unless the method has run under a lock, or under the lock of `resource` if that is given. Finds its locks as
   * `holdsOf` does.
   *
   * @throws LockAssertionError listing what was held instead
   */
  assertLocked<T>(target: Abstract<T>, method: MethodNameOf<T>, resource?: string): void {
    const holds = this.holdsOf(target, method);
    if (holds.some((hold) => resource === undefined || hold.resource === resource)) return;
    const wanted = resource === undefined ? 'a lock' : `the lock '${resource}'`;
    throw new LockAssertionError(`${target.name}.${method} has not run under ${wanted}`, this.holds);
  }

  /**
   * Fails if any lock is held.
   *
   * @throws LockAssertionError naming the resources
   */
  assertNothingHeld(): void {
    const { holders } = this;
    if (holders.length === 0) return;
    const names = holders.map(({ resource }) => `'${resource}'`).join(', ');
    throw new LockAssertionError(`These locks are held: ${names}`, this.holds);
  }

  /**
   * Advances the clock of the server and the lock services; only with `time: 'manual'`. Heartbeats, timeouts, ttls
   * and expiries happen in their usual order. Timers of the code under test are not included: fake them as usual.
   *
   * @param ms 0 or more
   * @throws TypeError if the server runs in real time, or for any other `ms`
   */
  advance(ms: number): Promise<void> {
    return this.zookeeper.advance(ms);
  }

  /**
   * Expires the session of a lock service, and resolves when the service has noticed: its holds are lost, and its
   * waiters queue again. If the service is just opening a session, that one expires. With `time: 'manual'`, the time that
   * this takes passes. Of a service whose locks need several sessions, one expires.
   *
   * @param service by default that of the unnamed module, or else the first one
   * @throws TypeError if the service has no session and opens none, or does not belong to this application
   * @throws EmptyError (of rxjs) if the service closes first
   */
  async expireSession(service?: LockService): Promise<void> {
    const target = this.serviceOf(service);
    await this.whileTimePasses(async () => {
      const session = await this.sessions.next(target);
      if (session === undefined || !this.zookeeper.expireSession(session)) throw noSession();
      await firstValueFrom(target.events$.pipe(filter(({ type }) => type === 'sessionExpired')));
    });
  }

  /**
   * Cuts off the session of a lock service from the server, in both directions and without an error, until `heal()`. Its locks
   * are lost at the deadline of its session. After two or three session timeouts, the service gives that session up and opens
   * another one, which is not cut off: for a longer outage, pause the server. Of a service whose locks need several sessions,
   * one is cut off.
   *
   * @param service by default that of the unnamed module, or else the first one
   * @throws TypeError if the service has no session at the moment, or does not belong to this application
   */
  partition(service?: LockService): Partition {
    const session = this.sessions.of(this.serviceOf(service));
    if (session === undefined || !this.zookeeper.sessions.some(({ id }) => id === session)) throw noSession();
    return this.zookeeper.partition(session);
  }

  /**
   * In manual time the clock now runs as fast as it can, so that holds which never end do not block the shutdown. Lock services
   * wait for them in the next hook, perhaps those of a module that comes before this one. A shutdown that never comes to its end,
   * because a hook of the application fails, does not keep the process alive.
   */
  onModuleDestroy(): void {
    if (this.clock instanceof ManualClock) this.fastForward = this.clock.runUntil(() => this.closed, false);
  }

  /** Stops the server, after the lock services. Without them, nothing else keeps the process alive until then. */
  async onApplicationShutdown(): Promise<void> {
    await keptAlive(async () => {
      await Promise.all(this.services.map(({ service }) => service.close()));
      this.closed = true;
      await this.fastForward;
      await this.zookeeper.stop();
    });
  }

  private serviceOf(service?: LockService): LockService {
    // Compares the event streams: the service of the test may be a Proxy.
    const opened =
      service === undefined
        ? (this.services.find(({ name }) => name === undefined) ?? this.services[0])
        : this.services.find((candidate) => candidate.service.events$ === service.events$);
    if (opened === undefined) throw new TypeError('The application under test has no such lock service');
    return opened.service;
  }

  private async whileTimePasses(call: () => Promise<void>): Promise<void> {
    const { clock } = this;
    let over = false;
    const called = call().finally(() => (over = true));
    await keptAlive(() => Promise.all([called, clock instanceof ManualClock && clock.runUntil(() => over)]));
  }

  private get queues(): QueueContents[] {
    return readQueues(this.zookeeper, this.services);
  }
}

/** The process lives until `call` has settled. */
async function keptAlive(call: () => Promise<unknown>): Promise<void> {
  const keepAlive = new KeepAlive();
  try {
    await keepAlive.during(call);
  } finally {
    keepAlive.end();
  }
}

function noSession(): TypeError {
  return new TypeError(
    'The lock service has no session at the moment. When it has one again, `ready$` emits',
  );
}
