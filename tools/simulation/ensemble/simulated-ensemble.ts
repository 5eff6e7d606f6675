import type { Transaction } from '../../../lib/testing/transactions/transaction.js';
import type { ServerAddress } from '../../../lib/zookeeper/connect-string.js';
import type { Network } from '../network/network.js';
import { EventLoop } from '../world/event-loop.js';
import type { Random } from '../world/random.js';
import type { Scheduler } from '../world/scheduler.js';
import { decideElection, type Candidate } from './election.js';
import { DEFAULT_SETTINGS, type EnsembleSettings } from './ensemble-settings.js';
import { Member } from './member.js';
import type { ToFollower, ToLeader } from './messages.js';
import { PeerLink, type Channel } from './peer-link.js';
import { TransactionLog } from './transaction-log.js';

const PORT = 2181;
/** Of a message between servers, about. */
const MESSAGE_BYTES = 200;

/** A server with its disk, which survives its process. */
interface ServerSlot {
  readonly number: number;
  readonly name: string;
  readonly address: string;
  log: TransactionLog;
  acceptedEpoch: bigint;
  /** How often its process was started. */
  starts: number;
  /** Changes while the disk is slow, and when all servers are started again. */
  readonly settings: { -readonly [Name in keyof EnsembleSettings]: EnsembleSettings[Name] };
  process:
    | { readonly loop: EventLoop; readonly member: Member; readonly stopListening: () => void }
    | undefined;
}

export interface SimulatedEnsembleOptions {
  /** The names of the servers, as the network knows them: `s1`, `s2`, ... */
  readonly names: readonly string[];
  readonly settings: EnsembleSettings;
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly random: Random;
  /** How fast the clock of each server goes: milliseconds in a millisecond of the simulation. */
  readonly rates: readonly number[];
}

/** Called before anybody hears of the transaction. @param session that has asked for it */
export type CommitObserver = (transaction: Transaction, session: bigint | undefined) => void;

/** ZooKeeper: one server or several, on simulated hosts. */
export class SimulatedEnsemble {
  readonly #slots: readonly ServerSlot[];
  readonly #quorum: number;
  readonly #expired = new Set<bigint>();
  readonly #observers = new Set<CommitObserver>();
  /** The last connection of each follower to each leader, by their names. */
  readonly #links = new Map<string, PeerLink<ToLeader, ToFollower>>();
  #electionPlanned = false;

  constructor(private readonly options: SimulatedEnsembleOptions) {
    this.#slots = options.names.map((name, index) => ({
      number: index + 1,
      name,
      address: `10.1.0.${name.slice(1)}`,
      log: new TransactionLog(),
      settings: { ...options.settings },
      acceptedEpoch: 0n,
      starts: 0,
      process: undefined,
    }));
    this.#quorum = Math.floor(options.names.length / 2) + 1;
  }

  get addresses(): readonly ServerAddress[] {
    return this.#slots.map(({ address }) => ({ host: address, port: PORT }));
  }

  get names(): readonly string[] {
    return this.#slots.map(({ name }) => name);
  }

  /** The name of the server that leads and serves, if there is one. */
  get leader(): string | undefined {
    return this.#slots.find(({ process }) => process?.member.state === 'leading' && process.member.isServing)
      ?.name;
  }

  /** The members whose processes run; those that are paused too. */
  get members(): readonly Member[] {
    return this.#slots.flatMap(({ process }) => (process === undefined ? [] : [process.member]));
  }

  /** Sessions that a leader ended because they were not heard from. */
  get expiredSessions(): ReadonlySet<bigint> {
    return this.#expired;
  }

  /** Returns the function that ends it. */
  observe(observer: CommitObserver): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  start(name: string): void {
    const slot = this.#slot(name);
    if (slot.process !== undefined) return;
    const { scheduler, network, rates } = this.options;
    slot.starts += 1;
    const random = this.options.random.fork(`${name}.${slot.starts}`);
    const loop = new EventLoop({
      name,
      scheduler,
      random: random.fork('threads'),
      rate: rates[slot.number - 1],
    });
    const member = new Member({
      number: slot.number,
      clock: loop.clock,
      random: random.fork('choices'),
      settings: slot.settings,
      log: slot.log,
      looking: () => this.#planElection(),
      sessionExpired: (session) => this.#expired.add(session),
      committed: (...committed) => this.#observers.forEach((observer) => observer(...committed)),
    });
    const listener = network.listen(loop, { address: slot.address, port: PORT }, (socket) =>
      member.accept(socket),
    );
    slot.process = { loop, member, stopListening: () => listener.close() };
    this.#planElection();
  }

  /** SIGKILL. */
  kill(name: string): void {
    const slot = this.#slot(name);
    if (slot.process === undefined) return;
    const { loop, member, stopListening } = slot.process;
    slot.process = undefined;
    stopListening();
    // The kernel ends the connections to the other servers.
    member.stop();
    loop.kill();
    slot.log.loseUnsynced();
  }

  /** Deletes everything that a server which is down has on its disk. */
  wipe(name: string): void {
    const slot = this.#slot(name);
    slot.log = new TransactionLog();
    slot.acceptedEpoch = 0n;
  }

  /** All servers grant the usual sessions when they start again. */
  grantUsualSessions(): void {
    for (const { settings } of this.#slots) settings.maxSessionTimeout = DEFAULT_SETTINGS.maxSessionTimeout;
  }

  /** Transactions take up to `by` ms to reach the disk of a server. Returns the function that undoes that. */
  slowDisk(name: string, by: number): () => void {
    const { settings } = this.#slot(name);
    const { syncDelay } = this.options.settings;
    settings.syncDelay = { min: syncDelay.min, max: syncDelay.max + by };
    return () => (settings.syncDelay = syncDelay);
  }

  /** Lets a server refuse that share of the requests. Returns a function that undoes it. */
  throttle(name: string, share: number): () => void {
    const { settings } = this.#slot(name);
    settings.throttledShare = share;
    return () => (settings.throttledShare = 0);
  }

  /** Resets the connections between two servers. */
  resetLinks(a: string, b: string): void {
    for (const pair of [`${a} ${b}`, `${b} ${a}`]) this.#links.get(pair)?.reset();
  }

  loopOf(name: string): EventLoop | undefined {
    return this.#slot(name).process?.loop;
  }

  #slot(name: string): ServerSlot {
    const slot = this.#slots.find((candidate) => candidate.name === name);
    if (slot === undefined) throw new RangeError(`Unknown server: ${name}`);
    return slot;
  }

  /** Again and again, while there is a server without a leader. */
  #planElection(): void {
    if (this.#electionPlanned) return;
    this.#electionPlanned = true;
    const { scheduler, random, settings } = this.options;
    const { min, max } = settings.electionDelay;
    scheduler.schedule(scheduler.now + random.between(min, max), () => {
      this.#electionPlanned = false;
      this.#elect();
      if (this.members.some(({ state }) => state === 'looking')) this.#planElection();
    });
  }

  #elect(): void {
    const { random } = this.options;
    const running = this.#slots.filter(({ process }) => process?.loop.state === 'running');
    const candidates = running.map(({ number, acceptedEpoch, process }): Candidate => {
      const { lastZxid, state } = process!.member;
      return { number, acceptedEpoch, lastZxid, state };
    });
    const decisions = decideElection(candidates, this.#quorum, (a, b) => this.#reaches(a, b), random);
    for (const decision of decisions) {
      if (decision.kind === 'join') this.#follow(decision.follower, decision.leader);
      else this.#lead(decision.leader, decision.epoch, decision.followers);
    }
  }

  #reaches(a: number, b: number): boolean {
    const { network } = this.options;
    const [one, other] = [this.#slots[a - 1]!.name, this.#slots[b - 1]!.name];
    return !network.direction(one, other).stalled && !network.direction(other, one).stalled;
  }

  #lead(leader: number, epoch: bigint, followers: readonly number[]): void {
    const slot = this.#slots[leader - 1]!;
    const { loop, member } = slot.process!;
    slot.acceptedEpoch = epoch;
    loop.run(() => {
      if (member.state !== 'looking') return;
      member.lead(epoch, this.#quorum);
      for (const follower of followers) this.#follow(follower, leader);
    });
  }

  #follow(follower: number, leader: number): void {
    const [slot, { process: leading, acceptedEpoch }] = [
      this.#slots[follower - 1]!,
      this.#slots[leader - 1]!,
    ];
    const following = slot.process;
    if (following === undefined || leading === undefined) return;
    slot.acceptedEpoch = acceptedEpoch;
    const { network } = this.options;
    const link = new PeerLink<ToLeader, ToFollower>(
      (deliver) => channel(network, following.loop, leading.loop, deliver),
      (deliver) => channel(network, leading.loop, following.loop, deliver),
    );
    this.#links.set(`${slot.name} ${this.#slots[leader - 1]!.name}`, link);
    leading.loop.run(() => leading.member.followedBy(follower, link));
    following.loop.run(() => {
      if (following.member.state === 'looking') following.member.follow(link);
    });
  }
}

function channel<T>(
  network: Network,
  from: EventLoop,
  to: EventLoop,
  deliver: (message: T) => void,
): Channel<T> {
  const path = network.channel(from, to, deliver);
  return { send: (message) => path.send(message, MESSAGE_BYTES), drop: () => path.drop() };
}
