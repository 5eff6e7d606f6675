import type { Timer } from '../../../lib/locking/clock.js';
import { DeliveryQueue } from '../../../lib/testing/server/delivery-queue.js';
import type { Applied, Quorum } from '../../../lib/testing/server/quorum.interface.js';
import type { ZooKeeperService } from '../../../lib/testing/server/zookeeper-service.js';
import type { Session } from '../../../lib/testing/sessions/session-table.js';
import type { Proposal } from '../../../lib/testing/transactions/transaction.js';
import { Disk } from './disk.js';
import type { Origin, Peer, ToFollower, ToLeader } from './messages.js';
import type { Role, RoleParts } from './role.interface.js';

/**
 * A server that follows a leader: it answers reads and pings alone, as long as it believes in its leader, and passes on
 * everything else. What reaches it about sessions goes to the leader with its next pong, every half tick.
 *
 * @see https://zookeeper.apache.org/doc/r3.8.0/zookeeperInternals.html
 */
export class Follower implements Quorum, Role {
  readonly sessionEnds = new Map<Session, number>();
  readonly #disk: Disk;
  readonly #commits: DeliveryQueue<bigint>;
  readonly #origins = new Map<bigint, Origin>();
  readonly #applied = new Map<number, Applied>();
  readonly #synced = new Map<number, () => void>();
  readonly #resumed = new Map<number, (alive: boolean) => void>();
  #touched = new Map<bigint, number>();
  #requests = 0;
  #service: ZooKeeperService | undefined;
  #deadline: number;
  #timer: Timer;

  constructor(
    private readonly parts: RoleParts,
    private readonly leader: Peer<ToLeader>,
  ) {
    const { clock, random, settings, log } = parts;
    const { applyDelay, tickTime, initLimit } = settings;
    this.#disk = new Disk(parts);
    this.#commits = new DeliveryQueue(
      clock,
      (zxid) => this.#apply(zxid),
      () => random.between(applyDelay.min, applyDelay.max),
    );
    this.#deadline = clock.monotonic() + initLimit * tickTime;
    this.#timer = this.#watchLeader();
    leader.send({ kind: 'join', lastZxid: log.lastZxid });
  }

  start(): void {}

  stop(): void {
    this.#timer.cancel();
    this.#disk.stop();
    this.#commits.close();
    this.leader.close();
  }

  commit(proposal: Proposal, applied: Applied): void {
    const request = this.#next();
    this.#applied.set(request, applied);
    this.leader.send({ kind: 'request', request, proposal });
  }

  sync(synced: () => void): void {
    const request = this.#next();
    this.#synced.set(request, synced);
    this.leader.send({ kind: 'sync', request });
  }

  touch(id: bigint): boolean {
    const session = this.parts.replica.sessions.get(id);
    if (session !== undefined) this.#touched.set(id, session.timeout);
    return session !== undefined;
  }

  resume(session: Session, timeout: number, resumed: (alive: boolean) => void): void {
    const request = this.#next();
    session.timeout = timeout;
    this.#resumed.set(request, resumed);
    this.leader.send({ kind: 'revalidate', request, session: session.id, timeout });
  }

  received(message: ToFollower): void {
    const { clock, settings } = this.parts;
    this.#deadline = clock.monotonic() + settings.syncLimit * settings.tickTime;
    switch (message.kind) {
      case 'history':
        return this.#accept(message);
      case 'upToDate':
        return this.#serve(message.committed);
      case 'propose':
        return this.#log(message);
      case 'commit':
        return this.#commits.push(message.zxid);
      case 'synced':
        this.#synced.get(message.request)?.();
        return void this.#synced.delete(message.request);
      case 'revalidated':
        this.#resumed.get(message.request)?.(message.alive);
        return void this.#resumed.delete(message.request);
      case 'ping':
        return this.#pong();
    }
  }

  #accept({ after, transactions }: Extract<ToFollower, { kind: 'history' }>): void {
    const { replica, log } = this.parts;
    replica.dropAfter(after);
    log.append(...transactions);
    this.#acknowledge(log.lastZxid);
  }

  #serve(committed: bigint): void {
    const { replica } = this.parts;
    this.#service = replica.open(this);
    this.#apply(committed);
    this.parts.serve(this.#service);
  }

  #log({ transaction, origin }: Extract<ToFollower, { kind: 'propose' }>): void {
    this.parts.log.append(transaction);
    if (origin.server === this.parts.number) this.#origins.set(transaction.zxid, origin);
    this.#acknowledge(transaction.zxid);
  }

  #acknowledge(zxid: bigint): void {
    this.#disk.sync(zxid, () => this.leader.send({ kind: 'ack', zxid }));
  }

  #apply(zxid: bigint): void {
    // What is committed before this server is up to date comes with `upToDate`.
    if (this.#service === undefined) return;
    this.parts.replica.applyUpTo(zxid, this.#service, (transaction) => {
      const origin = this.#origins.get(transaction.zxid);
      if (origin === undefined) return undefined;
      this.#origins.delete(transaction.zxid);
      const applied = this.#applied.get(origin.request);
      this.#applied.delete(origin.request);
      return applied;
    });
  }

  #pong(): void {
    const touched = [...this.#touched];
    this.#touched = new Map();
    this.leader.send({ kind: 'pong', touched });
  }

  #next(): number {
    this.#requests += 1;
    return this.#requests;
  }

  /** Like the read timeout of the connection to the leader: a leader that is cut off is noticed only then. */
  #watchLeader(): Timer {
    const { clock, settings } = this.parts;
    return clock.setTimer(() => {
      if (clock.monotonic() >= this.#deadline) this.parts.abandon();
      else this.#timer = this.#watchLeader();
    }, settings.tickTime / 2);
  }
}
