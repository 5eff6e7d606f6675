import type { OwnerRecord } from '../../locking/lock-provider.interface.js';
import { sequenceOf } from './contender-name.js';
import { isRecent } from './former-head.js';
import { readOwner } from './owner-record.js';

/** What the node of a closed lock says of its holder. */
export interface ClosedRecord {
  readonly owner: OwnerRecord;
  readonly token: bigint;
  /** A uuid of this hold, so that a process finds out whether it is its own. */
  readonly hold: string;
  /**
   * The czxid of the former head that it follows without having waited in the queue. Only the transaction of the node proves that it
   * was a grant.
   */
  readonly after?: bigint | undefined;
}

const DECIMAL = /^[1-9]\d{0,18}$/;

/** The owner record, as of all contenders, with more fields. */
export function closedData({ owner, token, hold, after }: ClosedRecord): Buffer {
  const proof = after === undefined ? {} : { after: String(after) };
  return Buffer.from(JSON.stringify({ ...owner, token: String(token), hold, ...proof }));
}

/** Undefined if the data are not such a record: every client with permissions can write anything. */
export function readClosed(data: Buffer): ClosedRecord | undefined {
  const owner = readOwner(data);
  if (owner === undefined) return undefined;
  const { token, hold, after } = JSON.parse(data.toString('utf8')) as Record<string, unknown>;
  if (!isDecimal(token) || typeof hold !== 'string') return undefined;
  return { owner, token: BigInt(token), hold, ...(isDecimal(after) && { after: BigInt(after) }) };
}

/** False for a node that its transaction has created behind others, and that its process could not remove any more. */
export function wasGranted({ after }: ClosedRecord, name: string, czxid: bigint): boolean {
  return after === undefined || isRecent({ czxid: after }, sequenceOf(name) ?? 0, czxid);
}

function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && DECIMAL.test(value);
}
