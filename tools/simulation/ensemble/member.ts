import type { Clock } from '../../../lib/locking/clock.js';
import { Connection } from '../../../lib/testing/server/connection.js';
import type { ServerSocket } from '../../../lib/testing/server/server-socket.interface.js';
import type { ZooKeeperService } from '../../../lib/testing/server/zookeeper-service.js';
import type { Store } from '../../../lib/testing/transactions/store.js';
import type { Transaction } from '../../../lib/testing/transactions/transaction.js';
import type { Random } from '../world/random.js';
import type { EnsembleSettings } from './ensemble-settings.js';
import { Follower } from './follower.js';
import { Leader } from './leader.js';
import type { ToFollower, ToLeader } from './messages.js';
import type { PeerLink } from './peer-link.js';
import { Replica } from './replica.js';
import type { TransactionLog } from './transaction-log.js';

/** How many of the connections to a server that boots stay open without an answer; it has been seen in 4 of 15 boots. */
const MUTE_WHILE_BOOTING = 0.1;

export interface MemberOptions {
  /** In the ensemble, from 1. */
  readonly number: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: EnsembleSettings;
  readonly log: TransactionLog;
  /** The member has no role any more, and needs a leader. */
  readonly looking: (member: Member) => void;
  readonly sessionExpired: (session: bigint) => void;
  /** It leads, and has committed a transaction that this session has asked for. */
  readonly committed: (transaction: Transaction, session: bigint | undefined) => void;
}

/** A server of the ensemble while its process runs. It is looking for a leader, or leads, or follows. */
export class Member {
  readonly number: number;
  readonly #replica: Replica;
  #role: Leader | Follower | undefined;
  #service: ZooKeeperService | undefined;
  #hasBooted = false;

  constructor(private readonly options: MemberOptions) {
    this.number = options.number;
    this.#replica = new Replica(options);
  }

  get state(): 'looking' | 'leading' | 'following' {
    if (this.#role === undefined) return 'looking';
    return this.#role instanceof Leader ? 'leading' : 'following';
  }

  /** Whether clients may connect. */
  get isServing(): boolean {
    return this.#service !== undefined;
  }

  /** The service, while there is one. */
  get service(): ZooKeeperService | undefined {
    return this.#service;
  }

  /** Of a leader: the data with all that it has decided on. */
  get decided(): Store | undefined {
    return this.#role instanceof Leader ? this.#role.decided : undefined;
  }

  get lastZxid(): bigint {
    return this.options.log.lastZxid;
  }

  /** @param quorum how many servers the ensemble needs */
  lead(epoch: bigint, quorum: number): void {
    const leader: Leader = new Leader(
      this.#parts(() => this.#role === leader),
      epoch,
      quorum,
    );
    this.#role = leader;
    leader.start();
  }

  /** The follower is the end A of the link, its leader the end B. */
  follow(link: PeerLink<ToLeader, ToFollower>): void {
    let current: Follower | undefined;
    const parts = this.#parts(() => current !== undefined && this.#role === current);
    const peer = link.endOfA({
      received: (message) => current?.received(message),
      ended: () => parts.abandon(),
    });
    current = new Follower(parts, peer);
    this.#role = current;
  }

  /** Another server follows this one. */
  followedBy(server: number, link: PeerLink<ToLeader, ToFollower>): void {
    const leader = this.#role;
    if (!(leader instanceof Leader)) return link.endOfB({ received: () => {}, ended: () => {} }).close();
    const peer = link.endOfB({
      received: (message) => leader.received(server, peer, message),
      ended: () => leader.left(server, peer),
    });
  }

  /** A client has connected. */
  accept(socket: ServerSocket): void {
    const service = this.#service;
    if (service === undefined) return this.#turnAway(socket);
    const { clock } = service;
    const { maxFrameBytes } = this.options.settings;
    service.opened(new Connection(socket, { clock, maxFrameBytes, delay: () => 0 }, service));
  }

  /** A server that does not serve closes a connection at its first request, except for some during its boot. */
  #turnAway(socket: ServerSocket): void {
    const isMute = !this.#hasBooted && this.options.random.chance(MUTE_WHILE_BOOTING);
    socket.on('error', () => {});
    socket.on('data', () => {
      if (!isMute) socket.destroySoon();
    });
  }

  /** The process ends. */
  stop(): void {
    this.#endRole();
  }

  #parts(isCurrent: () => boolean) {
    return {
      ...this.options,
      replica: this.#replica,
      serve: (service: ZooKeeperService) => {
        this.#service = service;
        this.#hasBooted = true;
      },
      abandon: () => {
        if (!isCurrent()) return;
        this.#endRole();
        this.options.looking(this);
      },
    };
  }

  /** Like a real server, which closes the connections of all its clients. */
  #endRole(): void {
    const [role, service] = [this.#role, this.#service];
    this.#role = undefined;
    this.#service = undefined;
    // Stops the role too: it is the quorum of the service.
    service?.stop();
    role?.stop();
  }
}
