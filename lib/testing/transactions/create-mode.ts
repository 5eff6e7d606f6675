import { OperationError } from '../tree/operation-error.js';
import { CONTAINER_OWNER, MAX_TTL_MS, NO_OWNER, ttlOwner } from '../tree/ephemeral-owner.js';
import { CREATE_FLAGS } from '../../zookeeper/protocol/create-flags.js';
import { OP } from '../../zookeeper/protocol/op-codes.js';
import type { CreateRequest } from '../wire/requests.js';

interface CreateMode {
  readonly kind: 'persistent' | 'ephemeral' | 'container' | 'ttl';
  readonly sequential: boolean;
}

const MODES = new Map<number, CreateMode>([
  [CREATE_FLAGS.persistent, { kind: 'persistent', sequential: false }],
  [CREATE_FLAGS.ephemeral, { kind: 'ephemeral', sequential: false }],
  [CREATE_FLAGS['persistent-sequential'], { kind: 'persistent', sequential: true }],
  [CREATE_FLAGS['ephemeral-sequential'], { kind: 'ephemeral', sequential: true }],
  [CREATE_FLAGS.container, { kind: 'container', sequential: false }],
  [CREATE_FLAGS['persistent-with-ttl'], { kind: 'ttl', sequential: false }],
  [CREATE_FLAGS['persistent-sequential-with-ttl'], { kind: 'ttl', sequential: true }],
]);

/** @throws OperationError */
export function createMode({ op, flags, ttl }: CreateRequest, ttlNodes: boolean): CreateMode {
  const mode = MODES.get(flags);
  if (!mode) throw new OperationError('BAD_ARGUMENTS');
  if (mode.kind === 'ttl' && !ttlNodes) throw new OperationError('UNIMPLEMENTED');
  const valid =
    mode.kind === 'ttl' ? ttl > 0n && ttl <= BigInt(MAX_TTL_MS) : ttl < 0n && op !== OP.CREATE_TTL;
  if (!valid) throw new OperationError('BAD_ARGUMENTS');
  return mode;
}

/** The request type decides the kind of node; of the flags only "ephemeral" counts. */
export function ownerFor({ op, ttl }: CreateRequest, { kind }: CreateMode, session: bigint): bigint {
  if (op === OP.CREATE_CONTAINER) return CONTAINER_OWNER;
  if (op === OP.CREATE_TTL) return ttlOwner(Number(ttl));
  return kind === 'ephemeral' ? session : NO_OWNER;
}

/** Ten characters; a minus sign counts as one. */
export function sequenceSuffix(cversion: number): string {
  const digits = String(Math.abs(cversion));
  return cversion < 0 ? `-${digits.padStart(9, '0')}` : digits.padStart(10, '0');
}
