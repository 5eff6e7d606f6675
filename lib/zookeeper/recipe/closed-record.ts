import type { OwnerRecord } from '../../locking/lock-provider.interface.js';
import { readOwner } from './owner-record.js';

/** What the node of a closed lock says of its holder. */
export interface ClosedRecord {
  readonly owner: OwnerRecord;
  readonly token: bigint;
  /** A uuid of this hold, so that a process finds out whether it is its own. */
  readonly hold: string;
}

const DECIMAL = /^[1-9]\d{0,18}$/;

/** The owner record, as of all contenders, with two more fields. */
export function closedData({ owner, token, hold }: ClosedRecord): Buffer {
  return Buffer.from(JSON.stringify({ ...owner, token: String(token), hold }));
}

/** Undefined if the data are not such a record: every client with permissions can write anything. */
export function readClosed(data: Buffer): ClosedRecord | undefined {
  const owner = readOwner(data);
  if (owner === undefined) return undefined;
  const { token, hold } = JSON.parse(data.toString('utf8')) as Record<string, unknown>;
  if (typeof token !== 'string' || !DECIMAL.test(token) || typeof hold !== 'string') return undefined;
  return { owner, token: BigInt(token), hold };
}
