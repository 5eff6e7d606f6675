import type { Clock } from '../../../lib/locking/clock.js';
import type { ZooKeeperService } from '../../../lib/testing/server/zookeeper-service.js';
import type { Transaction } from '../../../lib/testing/transactions/transaction.js';
import type { Random } from '../world/random.js';
import type { EnsembleSettings } from './ensemble-settings.js';
import type { Replica } from './replica.js';
import type { TransactionLog } from './transaction-log.js';

/** What a server gives to its role as a leader or as a follower. */
export interface RoleParts {
  readonly number: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly settings: EnsembleSettings;
  readonly log: TransactionLog;
  readonly replica: Replica;
  /** Clients may connect to the service from now on. */
  serve(service: ZooKeeperService): void;
  /** The server has lost its quorum, or its leader: the role ends, and another one is to be found. */
  abandon(): void;
  /** The leader ends a session that was not heard from for its whole timeout. */
  sessionExpired(session: bigint): void;
  /** The leader has committed a transaction, and nobody has heard of that. @param session that has asked for it */
  committed(transaction: Transaction, session: bigint | undefined): void;
}

/** A role ends when the server stops, or looks for a leader. */
export interface Role {
  stop(): void;
}
