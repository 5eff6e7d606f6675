import type { ZooKeeperService } from '../../../lib/testing/server/zookeeper-service.js';
import { newSession, type Session } from '../../../lib/testing/sessions/session-table.js';
import { SessionIds } from '../../../lib/testing/sessions/session-ids.js';
import { OPEN_ACL } from '../../../lib/zookeeper/protocol/acl.js';
import { OP } from '../../../lib/zookeeper/protocol/op-codes.js';
import { SESSION_PASSWORD_BYTES } from '../../../lib/zookeeper/protocol/session-password.js';
import { Network } from '../network/network.js';
import { Random } from '../world/random.js';
import { Scheduler } from '../world/scheduler.js';
import { DEFAULT_SETTINGS } from './ensemble-settings.js';
import { SimulatedEnsemble } from './simulated-ensemble.js';

/** No wait of a spec takes longer, ms. */
const PATIENCE_MS = 120_000;

/** For specs: an ensemble, and clients that talk to its servers without a network. */
export class SpecEnsemble {
  readonly ensemble: SimulatedEnsemble;
  readonly #scheduler: Scheduler;
  readonly #network: Network;
  readonly #ids = new SessionIds(99, 0);

  private constructor(size: number, first: number) {
    const random = new Random('ensemble');
    this.#scheduler = new Scheduler(random.fork('scheduler'));
    this.#network = new Network(this.#scheduler, random.fork('network'));
    this.ensemble = new SimulatedEnsemble({
      names: Array.from({ length: size }, (_, index) => `s${first + index}`),
      rates: Array.from({ length: size }, () => 1),
      settings: DEFAULT_SETTINGS,
      scheduler: this.#scheduler,
      network: this.#network,
      random: random.fork('servers'),
    });
  }

  /** Resolves when every server serves clients. @param first the number in the name of the first one */
  static async start(size = 3, first = 1): Promise<SpecEnsemble> {
    const started = new SpecEnsemble(size, first);
    for (const name of started.ensemble.names) started.ensemble.start(name);
    await started.until(() => started.#isComplete());
    return started;
  }

  get now(): number {
    return this.#scheduler.now;
  }

  /** The leader, and its followers. */
  get roles(): readonly [leader: string, ...followers: string[]] {
    const { leader, names } = this.ensemble;
    if (leader === undefined) throw new Error('There is no leader');
    return [leader, ...names.filter((name) => name !== leader)];
  }

  serviceOf(name: string): ZooKeeperService | undefined {
    const { members, names } = this.ensemble;
    return members.find(({ number }) => name === names[number - 1])?.service;
  }

  has(name: string, path: string): boolean {
    return this.serviceOf(name)?.store.tree.get(path) !== undefined;
  }

  /** Resolves when the session is open. */
  async open(name: string, timeout: number): Promise<Session> {
    const session = newSession(this.#ids.next(), Buffer.alloc(SESSION_PASSWORD_BYTES), timeout);
    let isOpen = false;
    this.#quorumOf(name).commit({ kind: 'openSession', session }, () => (isOpen = true));
    await this.until(() => isOpen);
    return session;
  }

  /** Asks a server to create a node; the returned function gives the code of its answer, if there is one yet. */
  create(name: string, session: Session, path: string): () => number | undefined {
    const request = { op: OP.CREATE, path, data: null, acl: [...OPEN_ACL], flags: 0, ttl: -1n };
    const requester = { session: session.id, identities: [] };
    let answer: number | undefined;
    this.#quorumOf(name).commit({ kind: 'change', request, requester }, ({ code }) => (answer = code));
    return () => answer;
  }

  touch(name: string, session: Session): boolean {
    return this.#quorumOf(name).touch(session.id);
  }

  stall(from: string, ...to: string[]): void {
    for (const name of to) this.#network.direction(from, name).stall();
  }

  heal(): void {
    const { names } = this.ensemble;
    for (const from of names) for (const to of names) this.#network.direction(from, to).resume();
  }

  /** Nothing passes between this server and the others. */
  isolate(name: string): void {
    for (const other of this.ensemble.names.filter((candidate) => candidate !== name)) {
      this.stall(name, other);
      this.stall(other, name);
    }
  }

  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    this.#scheduler.schedule(end, () => {});
    await this.#scheduler.run(() => this.now >= end);
  }

  async until(condition: () => boolean): Promise<void> {
    const end = this.now + PATIENCE_MS;
    this.#scheduler.schedule(end, () => {});
    await this.#scheduler.run(() => condition() || this.now >= end);
    if (!condition()) throw new Error('What the spec waits for has not happened');
  }

  /** Resolves when every server serves clients again. */
  recovered(): Promise<void> {
    return this.until(() => this.#isComplete());
  }

  #isComplete(): boolean {
    return this.ensemble.names.every((name) => this.serviceOf(name) !== undefined);
  }

  #quorumOf(name: string) {
    const service = this.serviceOf(name);
    if (service === undefined) throw new Error(`${name} does not serve clients`);
    return service.quorum;
  }
}
