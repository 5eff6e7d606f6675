import { SystemClock } from '../../lib/locking/clock.js';
import { TcpServer } from '../../lib/testing/server/tcp-server.js';
import { decideElection } from '../../tools/simulation/ensemble/election.js';
import {
  DEFAULT_SETTINGS,
  type EnsembleSettings,
} from '../../tools/simulation/ensemble/ensemble-settings.js';
import { Member } from '../../tools/simulation/ensemble/member.js';
import type { ToFollower, ToLeader } from '../../tools/simulation/ensemble/messages.js';
import { PeerLink, type Channel } from '../../tools/simulation/ensemble/peer-link.js';
import { TransactionLog } from '../../tools/simulation/ensemble/transaction-log.js';
import { Random } from '../../tools/simulation/world/random.js';
import { eventually } from '../support/eventually.js';
import type { Endpoint } from '../support/raw-connection.js';

const HOST = '127.0.0.1';
/** The scenarios compare what clients receive, not when: any seed will do. */
const SEED = 'conformance';

interface ServedMember {
  readonly member: Member;
  readonly tcpServer: TcpServer;
  readonly endpoint: Endpoint;
}

/** The simulator's model of ZooKeeper outside the simulation: in real time, for clients on real sockets. */
export class ModelEnsemble implements AsyncDisposable {
  readonly #random = new Random(SEED);
  readonly #clock = new SystemClock();
  readonly #served: ServedMember[] = [];

  private constructor(private readonly settings: EnsembleSettings) {}

  /** Resolves when all members serve clients. */
  static async start(size: number, settings: Partial<EnsembleSettings>): Promise<ModelEnsemble> {
    const ensemble = new ModelEnsemble({ ...DEFAULT_SETTINGS, ...settings });
    for (let number = 1; number <= size; number++) await ensemble.#add(number);
    await eventually(() => {
      ensemble.#elect();
      return ensemble.#served.every(({ member }) => member.isServing);
    });
    return ensemble;
  }

  /** A member in this role; a single one leads. */
  endpointOf(role: 'leading' | 'following'): Endpoint {
    const found = this.#served.find(({ member }) => member.state === role);
    if (found === undefined) throw new Error(`No member of the ensemble is ${role}`);
    return found.endpoint;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { member } of this.#served) member.stop();
    await Promise.all(this.#served.map(({ tcpServer }) => tcpServer.close()));
  }

  async #add(number: number): Promise<void> {
    const member = new Member({
      number,
      clock: this.#clock,
      random: this.#random.fork(String(number)),
      settings: this.settings,
      log: new TransactionLog(),
      looking: () => this.#elect(),
      sessionExpired: () => {},
      committed: () => {},
    });
    const tcpServer = new TcpServer((socket) => member.accept(socket));
    const port = await tcpServer.listen(0, HOST);
    this.#served.push({ member, tcpServer, endpoint: { host: HOST, port } });
  }

  #elect(): void {
    const candidates = this.#served.map(({ member: { number, state, lastZxid } }) => {
      return { number, state, lastZxid, acceptedEpoch: lastZxid >> 32n };
    });
    const quorum = Math.floor(candidates.length / 2) + 1;
    for (const decision of decideElection(candidates, quorum, () => true, this.#random)) {
      if (decision.kind === 'join') {
        this.#follow(decision.follower, decision.leader);
        continue;
      }
      this.#member(decision.leader).lead(decision.epoch, quorum);
      for (const follower of decision.followers) this.#follow(follower, decision.leader);
    }
  }

  #follow(follower: number, leader: number): void {
    const link = new PeerLink<ToLeader, ToFollower>(channel, channel);
    this.#member(leader).followedBy(follower, link);
    this.#member(follower).follow(link);
  }

  #member(number: number): Member {
    return this.#served[number - 1]!.member;
  }
}

/** Delivers in the next turn of the event loop: the sender does not see the receiver act meanwhile. */
function channel<T>(deliver: (message: T) => void): Channel<T> {
  let drops = 0;
  return {
    send: (message) => {
      const before = drops;
      setImmediate(() => before === drops && deliver(message));
    },
    drop: () => {
      drops += 1;
    },
  };
}
