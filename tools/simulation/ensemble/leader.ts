import type { Timer } from '../../../lib/locking/clock.js';
import { Reaper } from '../../../lib/testing/server/reaper.js';
import type { Applied, Quorum } from '../../../lib/testing/server/quorum.interface.js';
import type { ZooKeeperService } from '../../../lib/testing/server/zookeeper-service.js';
import type { Session } from '../../../lib/testing/sessions/session-table.js';
import type { Store } from '../../../lib/testing/transactions/store.js';
import type { Proposal, Transaction } from '../../../lib/testing/transactions/transaction.js';
import { ERROR_CODES } from '../../../lib/zookeeper/protocol/error-codes.js';
import { Disk } from './disk.js';
import type { Origin, Peer, ToFollower, ToLeader } from './messages.js';
import { Proposals } from './proposals.js';
import type { Role, RoleParts } from './role.interface.js';
import { SessionTracker } from './session-tracker.js';

/** A follower, as the leader sees it. */
interface Learner {
  readonly peer: Peer<ToFollower>;
  /** Monotonic time of its last message, ms. */
  heardAt: number;
  /** It has the history of this leader on its disk. */
  isSynced: boolean;
}

/** The request number of what no client has asked for. */
const NO_REQUEST = 0;

/**
 * The server that decides: it puts all changes in order, commits each when a quorum has it on disk, and ends sessions.
 *
 * @see https://zookeeper.apache.org/doc/r3.8.0/zookeeperInternals.html
 */
export class Leader implements Quorum, Role {
  readonly sessionEnds = new Map<Session, number>();
  readonly #disk: Disk;
  readonly #learners = new Map<number, Learner>();
  readonly #proposals: Proposals;
  readonly #applied = new Map<number, Applied>();
  readonly #tracker: SessionTracker;
  /** The data with all proposals applied, committed or not: what is decided next depends on it. */
  #ahead: Store | undefined;
  #reaper: Reaper | undefined;
  #service: ZooKeeperService | undefined;
  #requests = NO_REQUEST;
  #timer: Timer | undefined;
  #halfTicks = 0;
  #isOver = false;
  /** Until when a quorum is to have the history of this leader. */
  readonly #deadline: number;

  /** As all will have them when what is decided is applied. Undefined before it leads. */
  get decided(): Store | undefined {
    return this.#ahead;
  }

  /** @param quorum how many servers must have a transaction on disk, this one included */
  constructor(
    private readonly parts: RoleParts,
    private readonly epoch: bigint,
    quorum: number,
  ) {
    const { clock, settings } = parts;
    this.#disk = new Disk(parts);
    this.#tracker = new SessionTracker(clock, settings.tickTime, (session) => {
      parts.sessionExpired(session);
      this.#propose({ kind: 'closeSession', session }, this.#ownOrigin());
    });
    this.#proposals = new Proposals(quorum, (zxid) => this.#committed(zxid));
    this.#deadline = clock.monotonic() + settings.initLimit * settings.tickTime;
  }

  /** Takes over with the history in its log, which becomes that of the ensemble as soon as a quorum has it. */
  start(): void {
    this.#timer = this.#tick();
    // A server without an ensemble has no epochs: it counts on from its last transaction.
    if (this.#proposals.quorum === 1) return this.#activate();
    const { log, clock } = this.parts;
    const transaction: Transaction = {
      zxid: this.epoch << 32n,
      time: Math.floor(clock.wall()),
      effect: { kind: 'changes', changes: [] },
    };
    log.append(transaction);
    this.#store(transaction);
  }

  stop(): void {
    this.#isOver = true;
    this.#timer?.cancel();
    this.#disk.stop();
    this.#tracker.stop();
    this.#reaper?.stop();
    for (const { peer } of this.#learners.values()) peer.close();
    this.#learners.clear();
  }

  commit(proposal: Proposal, applied: Applied): void {
    const origin = this.#ownOrigin();
    this.#applied.set(origin.request, applied);
    this.#propose(proposal, origin);
  }

  /**
   * For its own clients a leader waits for nothing, even if it has lost its quorum (ZOOKEEPER-1675): `CommitProcessor`
   * matches only the syncs of followers.
   */
  sync(synced: () => void): void {
    synced();
  }

  touch(id: bigint): boolean {
    const session = this.parts.replica.sessions.get(id);
    return session !== undefined && this.#tracker.touch(id, session.timeout);
  }

  resume(session: Session, timeout: number, resumed: (alive: boolean) => void): void {
    session.timeout = timeout;
    resumed(this.#tracker.resume(session.id, timeout, this.parts.number));
  }

  received(server: number, peer: Peer<ToFollower>, message: ToLeader): void {
    // A connection that was under way when this server gave up.
    if (this.#isOver) return peer.close();
    if (message.kind === 'join') return this.#join(server, peer, message.zxids);
    const learner = this.#learners.get(server);
    // The connection was replaced by a later one.
    if (learner?.peer !== peer) return;
    learner.heardAt = this.parts.clock.monotonic();
    switch (message.kind) {
      case 'ack':
        return this.#acknowledged(server, learner, message.zxid);
      case 'request':
        return this.#propose(message.proposal, { server, request: message.request });
      case 'sync': {
        const { request } = message;
        return this.#proposals.whenCommitted(() => peer.send({ kind: 'synced', request }));
      }
      case 'revalidate': {
        const { request, session, timeout } = message;
        const alive = this.#tracker.resume(session, timeout, server);
        return peer.send({ kind: 'revalidated', request, alive });
      }
      case 'pong':
        for (const [session, timeout] of message.touched) this.#tracker.touch(session, timeout);
    }
  }

  /** The connection to a follower has ended. */
  left(server: number, peer: Peer<ToFollower>): void {
    if (this.#learners.get(server)?.peer === peer) this.#learners.delete(server);
  }

  #join(server: number, peer: Peer<ToFollower>, zxids: readonly bigint[]): void {
    const { log, clock } = this.parts;
    const common = log.countCommon(zxids);
    const after = common === 0 ? 0n : log.entries[common - 1]!.zxid;
    this.#proposals.joined(server);
    this.#learners.set(server, { peer, heardAt: clock.monotonic(), isSynced: false });
    peer.send({ kind: 'history', after, transactions: log.entries.slice(common) });
  }

  #acknowledged(server: number, learner: Learner, zxid: bigint): void {
    this.#proposals.acknowledged(server, zxid);
    if (learner.isSynced) return;
    learner.isSynced = true;
    if (this.#service !== undefined) this.#welcome(learner);
  }

  #welcome({ peer }: Learner): void {
    peer.send({ kind: 'upToDate', committed: this.#proposals.committed });
  }

  #propose(proposal: Proposal, origin: Origin): void {
    if (this.#ahead === undefined) return;
    const transaction = this.#ahead.decide(this.#checked(proposal, origin.server));
    this.#ahead.apply(transaction);
    this.parts.log.append(transaction);
    this.#proposals.add(transaction.zxid, { ...origin, session: sessionOf(proposal) });
    for (const { peer } of this.#learners.values()) peer.send({ kind: 'propose', transaction, origin });
    this.#store(transaction);
  }

  /** Like `PrepRequestProcessor`: a session that has ended changes nothing, nor one that has gone on elsewhere. */
  #checked(proposal: Proposal, server: number): Proposal {
    if (proposal.kind === 'openSession') this.#tracker.add(proposal.session, server);
    if (proposal.kind === 'closeSession') this.#tracker.remove(proposal.session);
    if (proposal.kind !== 'change' && proposal.kind !== 'multi') return proposal;
    const standing = this.#tracker.standing(proposal.requester.session, server);
    if (standing === 'alive') return proposal;
    const error = standing === 'moved' ? 'SESSION_MOVED' : 'SESSION_EXPIRED';
    return { kind: 'refused', code: ERROR_CODES[error] };
  }

  #store({ zxid }: Transaction): void {
    this.#disk.sync(zxid, () => this.#proposals.acknowledged(this.parts.number, zxid));
  }

  #committed(zxid: bigint): void {
    if (this.#service === undefined) return this.#activate();
    for (const { peer } of this.#learners.values()) peer.send({ kind: 'commit', zxid });
    this.parts.replica.applyUpTo(zxid, this.#service, (transaction) => {
      const origin = this.#proposals.take(transaction.zxid);
      this.parts.committed(transaction, origin?.session);
      if (origin?.server !== this.parts.number) return undefined;
      const applied = this.#applied.get(origin.request);
      this.#applied.delete(origin.request);
      return applied;
    });
  }

  /** A quorum has the history of this leader: it is committed, and every session gets its whole timeout again. */
  #activate(): void {
    const { replica, log, clock, settings } = this.parts;
    this.#service = replica.open(this);
    replica.applyUpTo(log.lastZxid, this.#service);
    this.#ahead = replica.newStore();
    for (const transaction of log.entries) this.#ahead.apply(transaction);
    for (const { id, firstTimeout } of replica.sessions.all())
      this.#tracker.add({ id, timeout: firstTimeout });
    this.#reaper = new Reaper(replica.store, clock, settings.containerCheckInterval, (path) =>
      this.#propose({ kind: 'reap', path }, this.#ownOrigin()),
    );
    this.#reaper.start();
    this.parts.serve(this.#service);
    for (const learner of this.#learners.values()) if (learner.isSynced) this.#welcome(learner);
  }

  #ownOrigin(): Origin {
    this.#requests += 1;
    return { server: this.parts.number, request: this.#requests };
  }

  /** Every half tick pings, every tick the question whether there is a quorum; like `Leader.lead`. */
  #tick(): Timer {
    const { clock, settings } = this.parts;
    return clock.setTimer(() => {
      this.#timer = this.#tick();
      // What has arrived while this server was paused counts: it goes on as a leader for a moment, with old data.
      clock.nextTurn(() => this.#checkLearners());
    }, settings.tickTime / 2);
  }

  #checkLearners(): void {
    if (this.#isOver) return;
    const { initLimit, syncLimit, tickTime } = this.parts.settings;
    const now = this.parts.clock.monotonic();
    for (const [server, { peer, heardAt, isSynced }] of this.#learners) {
      const limit = isSynced ? syncLimit : initLimit;
      if (now - heardAt < limit * tickTime) peer.send({ kind: 'ping' });
      else this.#drop(server, peer);
    }
    this.#halfTicks += 1;
    if (this.#halfTicks % 2 === 0 && !this.#hasQuorum(now)) this.parts.abandon();
  }

  #hasQuorum(now: number): boolean {
    if (this.#service === undefined) return now <= this.#deadline;
    const synced = [...this.#learners.values()].filter(({ isSynced }) => isSynced).length;
    return synced + 1 >= this.#proposals.quorum;
  }

  #drop(server: number, peer: Peer<ToFollower>): void {
    this.#learners.delete(server);
    peer.close();
  }
}

function sessionOf(proposal: Proposal): bigint | undefined {
  return proposal.kind === 'change' || proposal.kind === 'multi' ? proposal.requester.session : undefined;
}
