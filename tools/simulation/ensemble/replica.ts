import type { Clock } from '../../../lib/locking/clock.js';
import type { Applied, Quorum } from '../../../lib/testing/server/quorum.interface.js';
import { ZooKeeperService } from '../../../lib/testing/server/zookeeper-service.js';
import { SessionIds } from '../../../lib/testing/sessions/session-ids.js';
import { SessionTable } from '../../../lib/testing/sessions/session-table.js';
import { PausableClock } from '../../../lib/testing/time/pausable-clock.js';
import { Store } from '../../../lib/testing/transactions/store.js';
import type { Transaction } from '../../../lib/testing/transactions/transaction.js';
import type { Random } from '../world/random.js';
import type { EnsembleSettings } from './ensemble-settings.js';
import { Throttling } from './throttling.js';
import type { TransactionLog } from './transaction-log.js';

export interface ReplicaOptions {
  /** In the ensemble, from 1. */
  readonly number: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: EnsembleSettings;
  readonly log: TransactionLog;
}

/** A server's copy of all data, in memory: what its log contains, as far as it is committed. */
export class Replica {
  readonly #clock: PausableClock;
  readonly #sessionIds: SessionIds;
  #store: Store;
  #sessions = new SessionTable();
  #applied = 0;

  constructor(private readonly options: ReplicaOptions) {
    const { clock, number } = options;
    this.#clock = new PausableClock(clock);
    this.#store = this.newStore();
    this.#sessionIds = new SessionIds(number, clock.wall());
  }

  get store(): Store {
    return this.#store;
  }

  get sessions(): SessionTable {
    return this.#sessions;
  }

  newStore(): Store {
    return new Store(this.#clock, true);
  }

  /** A service over this replica, until the server loses its quorum. */
  open(quorum: Quorum): ZooKeeperService {
    const { random, settings } = this.options;
    return new ZooKeeperService({
      ...settings,
      clock: this.#clock,
      store: this.#store,
      sessions: this.#sessions,
      sessionIds: this.#sessionIds,
      randomBytes: (count) => random.bytes(count),
      quorum: () => quorum,
      control: new Throttling(settings, random),
      answerWord: () => undefined,
    });
  }

  /** Applies what has been committed up to `zxid`. */
  applyUpTo(
    zxid: bigint,
    service: ZooKeeperService,
    appliedOf: (transaction: Transaction) => Applied | undefined = () => undefined,
  ): void {
    const { entries } = this.options.log;
    for (let next = entries[this.#applied]; next && next.zxid <= zxid; next = entries[this.#applied]) {
      this.#applied += 1;
      service.apply(ownCopy(next), appliedOf(next));
    }
  }

  /** Drops what follows `zxid` in the log; if it has been applied, the replica is built again from the beginning. */
  dropAfter(zxid: bigint): void {
    const { log } = this.options;
    const count = log.countUpTo(zxid);
    log.truncate(count);
    if (this.#applied <= count) return;
    this.#store = this.newStore();
    this.#sessions = new SessionTable();
    this.#applied = 0;
  }
}

/** Sessions change: each server has its own. */
function ownCopy(transaction: Transaction): Transaction {
  const { effect } = transaction;
  if (effect.kind !== 'openSession') return transaction;
  return { ...transaction, effect: { ...effect, session: { ...effect.session } } };
}
