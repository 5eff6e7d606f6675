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
  /** What the leader has decided, in order: reads answered meanwhile do not show it yet. */
  readonly #decided: DeliveryQueue<() => void>;
  readonly #origins = new Map<bigint, Origin>();
  readonly #applied = new Map<number, Applied>();
  readonly #synced = new Map<number, () => void>();
  readonly #resumed = new Map<number, (alive: boolean) => void>();
  #touched = new Map<bigint, number>();
  #requests = 0;
  #service: ZooKeeperService | undefined;
  #deadline = 0;
  #timer: Timer;
  #isOver = false;

  constructor(
    private readonly parts: RoleParts,
    private readonly leader: Peer<ToLeader>,
  ) {
    const { clock, random, settings, log } = parts;
    const { applyDelay } = settings;
    this.#disk = new Disk(parts);
    this.#decided = new DeliveryQueue(
      clock,
      (effect) => effect(),
      () => random.between(applyDelay.min, applyDelay.max),
    );
    this.#heardFromLeader();
    this.#timer = this.#watchLeader();
    leader.send({ kind: 'join', zxids: log.entries.map(({ zxid }) => zxid) });
  }

  start(): void {}

  stop(): void {
    this.#isOver = true;
    this.#timer.cancel();
    this.#disk.stop();
    this.#decided.close();
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
    this.#heardFromLeader();
    switch (message.kind) {
      case 'history':
        return this.#accept(message);
      case 'upToDate':
        return this.#serve(message.committed);
      case 'propose':
        return this.#log(message);
      case 'commit':
        return this.#decided.push(() => this.#apply(message.zxid));
      case 'synced':
        return this.#decided.push(() => this.#answerSync(message.request));
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
    // As measured (`srvr`): only the leader has the zxid of a new epoch before the first transaction of the epoch. Until
    // then a follower refuses clients that have had a reply from the leader.
    this.#apply(isStartOfEpoch(committed) ? committed - 1n : committed);
    this.parts.serve(this.#service);
    // From now on it has less time.
    this.#timer.cancel();
    this.#heardFromLeader();
    this.#timer = this.#watchLeader();
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

  #answerSync(request: number): void {
    this.#synced.get(request)?.();
    this.#synced.delete(request);
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

  #heardFromLeader(): void {
    const { clock, settings } = this.parts;
    const limit = this.#service === undefined ? settings.initLimit : settings.syncLimit;
    this.#deadline = clock.monotonic() + limit * settings.tickTime;
  }

  /** Like the read timeout of the connection to the leader: a leader that is cut off is noticed only then. */
  #watchLeader(): Timer {
    const { clock } = this.parts;
    const remaining = Math.max(Math.ceil(this.#deadline - clock.monotonic()), 0);
    // What has arrived while this server was paused counts.
    return clock.setTimer(() => clock.nextTurn(() => this.#checkLeader()), remaining);
  }

  #checkLeader(): void {
    if (this.#isOver) return;
    if (this.parts.clock.monotonic() >= this.#deadline) this.parts.abandon();
    else this.#timer = this.#watchLeader();
  }
}

/** The counter in the low half restarts with each leader. */
function isStartOfEpoch(zxid: bigint): boolean {
  return BigInt.asUintN(32, zxid) === 0n;
}
