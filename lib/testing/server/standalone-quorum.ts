import type { Clock } from '../../locking/clock.js';
import { ExpiryQueue } from '../sessions/expiry-queue.js';
import type { Session, SessionTable } from '../sessions/session-table.js';
import type { Store } from '../transactions/store.js';
import type { Proposal } from '../transactions/transaction.js';
import type { Applied, Quorum, QuorumMember } from './quorum.interface.js';
import { Reaper } from './reaper.js';

export interface StandaloneQuorumOptions {
  readonly clock: Clock;
  readonly store: Store;
  readonly sessions: SessionTable;
  /** ms */
  readonly tickTime: number;
  /** ms */
  readonly containerCheckInterval: number;
}

/** A quorum of one: every change is committed at once. */
export class StandaloneQuorum implements Quorum {
  readonly #expiry: ExpiryQueue<Session>;
  readonly #reaper: Reaper;

  constructor(
    private readonly options: StandaloneQuorumOptions,
    private readonly member: QuorumMember,
  ) {
    const { store, clock, tickTime, containerCheckInterval } = options;
    this.#expiry = new ExpiryQueue(clock, tickTime, ({ id }) => this.#end(id));
    this.#reaper = new Reaper(store, clock, containerCheckInterval, (path) =>
      this.commit({ kind: 'reap', path }),
    );
  }

  get sessionEnds(): ReadonlyMap<Session, number> {
    return this.#expiry.ends();
  }

  start(): void {
    this.#reaper.start();
  }

  stop(): void {
    this.#expiry.stop();
    this.#reaper.stop();
  }

  commit(proposal: Proposal, applied?: Applied): void {
    if (proposal.kind === 'openSession') this.#expiry.touch(proposal.session, proposal.session.timeout);
    if (proposal.kind === 'closeSession') this.#forget(proposal.session);
    this.member.apply(this.options.store.decide(proposal), applied);
  }

  sync(synced: () => void): void {
    synced();
  }

  touch(id: bigint): boolean {
    const session = this.options.sessions.get(id);
    if (session) this.#expiry.touch(session, session.timeout);
    return session !== undefined;
  }

  resume(session: Session, timeout: number, resumed: (alive: boolean) => void): void {
    session.timeout = timeout;
    this.#expiry.touch(session, timeout);
    resumed(true);
  }

  #end(session: bigint): void {
    this.commit({ kind: 'closeSession', session });
  }

  #forget(id: bigint): void {
    const session = this.options.sessions.get(id);
    if (session) this.#expiry.remove(session);
  }
}
