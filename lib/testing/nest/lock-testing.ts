import type { BeforeApplicationShutdown, OnApplicationShutdown, Type } from '@nestjs/common';
import { filter, finalize, firstValueFrom } from 'rxjs';
import type { LockService } from '../../lock.service.js';
import type { LockEnvironment, OpenedLockService } from '../../lock-environment.interface.js';
import type { Clock } from '../../locking/clock.js';
import { KeepAlive } from '../../locking/keep-alive.js';
import type { Partition } from '../controls/server-controls.js';
import type { EmbeddedZooKeeper } from '../embedded-zookeeper.js';
import { ManualClock } from '../time/manual-clock.js';
import { LockAssertionError } from './lock-assertion.error.js';
import { readQueues, type Contender } from './queue-contents.js';
import { RecordedHolds, type RecordedHold } from './recorded-holds.js';

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
 * The locks of an application under test: who holds what, what has been held, and everything that can go wrong.
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
export class LockTesting implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly services: OpenedLockService[] = [];
  /** The last session of each. */
  private readonly sessions = new Map<LockService, bigint>();
  private readonly recorded = new RecordedHolds();
  private closed = false;
  private fastForward: Promise<void> | undefined;

  /** Made by `LockTestingModule`. */
  constructor(
    /** The server that all lock services of this application are connected to. */
    readonly zookeeper: EmbeddedZooKeeper,
  ) {}

  /** @internal */
  get clock(): Clock {
    return this.zookeeper.clock;
  }

  /** @internal */
  get servers(): LockEnvironment['servers'] {
    const { host, port } = this.zookeeper;
    return [{ host, port }];
  }

  /** @internal */
  opened(opened: OpenedLockService): void {
    this.services.push(opened);
    this.recorded.record(opened);
    opened.service.ready$.subscribe(({ session }) => this.sessions.set(opened.service, BigInt(session)));
  }

  /** Every hold so far of the application under test, in the order of the grants. */
  get holds(): readonly RecordedHold[] {
    return this.recorded.all;
  }

  /** Who holds which lock now, whatever process or library it is. */
  get holders(): readonly Contender[] {
    return this.queues.map(([holder]) => holder!);
  }

  /** Who waits for `resource` now, in order. */
  waiters(resource: string): readonly Contender[] {
    const queue = this.queues.find(([holder]) => holder!.resource === resource);
    return queue === undefined ? [] : queue.slice(1);
  }

  /** The holds under which a locked method ran, in order. */
  holdsOf<T>(target: Type<T>, method: MethodNameOf<T>): readonly RecordedHold[] {
    const purpose = `${target.name}.${method}`;
    return this.holds.filter((hold) => hold.purpose === purpose);
  }

  /**
   * Fails unless the method has run under a lock, and under that of `resource` if one is given.
   *
   * @throws LockAssertionError saying what was held instead
   */
  assertLocked<T>(target: Type<T>, method: MethodNameOf<T>, resource?: string): void {
    const holds = this.holdsOf(target, method);
    if (holds.some((hold) => resource === undefined || hold.resource === resource)) return;
    const wanted = resource === undefined ? 'a lock' : `the lock '${resource}'`;
    throw new LockAssertionError(`${target.name}.${method} has not run under ${wanted}`, this.holds);
  }

  /**
   * Fails if anybody holds a lock or waits for one.
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
   * Lets time pass for server and lock services; only with `time: 'manual'`. Heartbeats, timeouts, ttls and expiries
   * happen in the order in which they would. Timers of the code under test are not ours: fake those as usual.
   *
   * @param ms how much
   * @throws TypeError if time passes by itself
   */
  advance(ms: number): Promise<void> {
    return this.zookeeper.advance(ms);
  }

  /**
   * Ends the session of a lock service on the server, and resolves when the service knows: its holds are lost, its waiters
   * queue again.
   *
   * @param service the first one of the application if none is given
   * @throws TypeError if the service has no session, or is none of this application
   */
  async expireSession(service?: LockService): Promise<void> {
    const { service: target, session } = this.connected(service);
    let over = false;
    const expired = firstValueFrom(
      target.events$.pipe(
        filter(({ type }) => type === 'sessionExpired'),
        // Also if the service closes before.
        finalize(() => (over = true)),
      ),
    );
    this.zookeeper.expireSession(session);
    const { clock } = this;
    await new KeepAlive().during(() =>
      Promise.all([expired, clock instanceof ManualClock && clock.runUntil(() => over)]),
    );
  }

  /**
   * Cuts a lock service off from the server until `heal()`: nothing it sends arrives, nothing reaches it, and it is not
   * told. Its locks are lost when it has not heard of the server for long enough.
   *
   * @param service the first one of the application if none is given
   * @throws TypeError if the service has no session, or is none of this application
   */
  partition(service?: LockService): Partition {
    return this.zookeeper.partition(this.connected(service).session);
  }

  /** Holds that never end would keep an application in manual time from closing: time then passes as fast as it can. */
  beforeApplicationShutdown(): void {
    if (this.clock instanceof ManualClock) this.fastForward = this.clock.runUntil(() => this.closed);
  }

  /** Ends the server, after the lock services. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.services.map(({ service }) => service.close()));
    this.closed = true;
    await this.fastForward;
    await this.zookeeper.stop();
  }

  private connected(service?: LockService): { service: LockService; session: bigint } {
    // Not by the service itself: that of the test may be a Proxy.
    const opened = this.services.find(
      (candidate) => service === undefined || candidate.service.events$ === service.events$,
    );
    const session = opened && this.sessions.get(opened.service);
    if (opened === undefined || session === undefined)
      throw new TypeError('The application under test has no such lock service with a session');
    return { service: opened.service, session };
  }

  private get queues(): Contender[][] {
    return readQueues(
      this.zookeeper.ephemerals(),
      this.services.map(({ root }) => root),
    );
  }
}
