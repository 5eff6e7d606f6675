import { beforeEach, describe, expect, test } from 'vitest';
import { OperationError } from '../../../lib/testing/tree/operation-error.js';
import { ERROR_CODES, type ErrorName } from '../../../lib/zookeeper/protocol/error-codes.js';
import { errorCode } from '../../../lib/testing/transactions/prepare.js';
import { Store } from '../../../lib/testing/transactions/store.js';
import type { Stat } from '../../../lib/zookeeper/protocol/stat.js';
import type { Proposal, TransactionResult } from '../../../lib/testing/transactions/transaction.js';
import { OP } from '../../../lib/zookeeper/protocol/op-codes.js';
import type { ChangeRequest, CreateRequest, StepRequest } from '../../../lib/testing/wire/requests.js';
import { OPEN_ACL } from '../../../lib/zookeeper/protocol/acl.js';
import { FakeClock } from '../../unit/fake-clock.js';

const LAST = 2 ** 31 - 1;
const SESSION = 0x0100_0000_0000_0001n;
const FLAGS = { persistent: 0, ephemeral: 1, sequential: 2 };

let clock: FakeClock;
let store: Store;
beforeEach(() => {
  clock = new FakeClock();
  store = new Store(clock, true);
});

const create = (
  path: string,
  flags = FLAGS.persistent,
  more: Partial<CreateRequest> = {},
): CreateRequest => ({
  op: OP.CREATE2,
  path,
  flags,
  data: Buffer.from('data'),
  acl: [...OPEN_ACL],
  ttl: -1n,
  ...more,
});
const remove = (path: string, version = -1): StepRequest => ({ op: OP.DELETE, path, version });
const setData = (path: string, version = -1): StepRequest => ({
  op: OP.SET_DATA,
  path,
  data: Buffer.from('more data'),
  version,
});
const check = (path: string, version = -1): StepRequest => ({ op: OP.CHECK, path, version });

const REQUESTER = { session: SESSION, identities: [] };

function commit(proposal: Proposal): TransactionResult {
  return store.apply(store.decide(proposal));
}

function change(request: ChangeRequest): { path: string; stat?: Stat } {
  const { code, outcomes } = commit({ kind: 'change', request, requester: REQUESTER });
  const [outcome] = outcomes;
  if (outcome === undefined || outcome.op === OP.ERROR) throw new Error(`The change failed with ${code}`);
  return outcome;
}

function failure(request: ChangeRequest): number {
  return commit({ kind: 'change', request, requester: REQUESTER }).code;
}

function transact(...steps: StepRequest[]): (string | number)[] {
  const { outcomes } = commit({ kind: 'multi', steps, requester: REQUESTER });
  return outcomes.map((outcome) => (outcome.op === OP.ERROR ? outcome.code : outcome.path));
}

const statOf = (path: string): Stat => store.tree.get(path)!.stat();

describe('requests that are refused, and the error', () => {
  beforeEach(() => {
    for (const path of ['/a', '/a/b']) change(create(path));
    change(create('/e', FLAGS.ephemeral));
  });

  test.for<[string, ChangeRequest, ErrorName]>([
    ['no slash', create('a'), 'BAD_ARGUMENTS'],
    ['a slash at the end', create('/a/'), 'BAD_ARGUMENTS'],
    ['a missing parent', create('/none/a'), 'NO_NODE'],
    ['a node that is there', create('/a'), 'NODE_EXISTS'],
    ['the root', create('/'), 'NODE_EXISTS'],
    ['a child of an ephemeral node', create('/e/a'), 'NO_CHILDREN_FOR_EPHEMERALS'],
    ['no rules', create('/c', 0, { acl: [] }), 'INVALID_ACL'],
    ['flags nobody knows', create('/c', 7), 'BAD_ARGUMENTS'],
    ['a ttl of a node without', create('/c', 0, { ttl: 5n }), 'BAD_ARGUMENTS'],
    ['a node with a ttl without one', create('/c', 5), 'BAD_ARGUMENTS'],
    ['a ttl of 0', create('/c', 5, { op: OP.CREATE_TTL, ttl: 0n }), 'BAD_ARGUMENTS'],
    ['a ttl of more than 34 years', create('/c', 5, { op: OP.CREATE_TTL, ttl: 2n ** 40n }), 'BAD_ARGUMENTS'],
    ['to delete what is missing', remove('/none'), 'NO_NODE'],
    ['to delete what has children', remove('/a'), 'NOT_EMPTY'],
    ['to delete the root', remove('/'), 'BAD_ARGUMENTS'],
    ['to delete another version', remove('/a/b', 1), 'BAD_VERSION'],
    ['to change what is missing', setData('/none'), 'NO_NODE'],
    ['to change another version', setData('/a', 1), 'BAD_VERSION'],
    ['to check another version', check('/a', 1), 'BAD_VERSION'],
    ['to check no path', check(''), 'BAD_ARGUMENTS'],
  ])('%s', ([, request, name]) => {
    expect(failure(request)).toBe(ERROR_CODES[name]);
  });

  test('ttl nodes are refused without ttlNodes', () => {
    store = new Store(clock, false);
    expect(failure(create('/c', 5, { op: OP.CREATE_TTL, ttl: 5n }))).toBe(ERROR_CODES.UNIMPLEMENTED);
  });
});

test('every transaction has a zxid, even if it fails', () => {
  const first = change(create('/a')).stat!.czxid;
  expect(failure(create('/a'))).toBe(ERROR_CODES.NODE_EXISTS);
  expect(change(create('/b')).stat!.czxid).toBe(first + 2n);
});

test('the parent counts changes of its children', () => {
  change(create('/a'));
  const before = statOf('/a');
  change(create('/a/b'));
  const { stat } = change(create('/a/c'));
  expect(statOf('/a')).toEqual({ ...before, cversion: 2, numChildren: 2, pzxid: stat!.czxid });
  change(remove('/a/b'));
  expect(statOf('/a')).toEqual({ ...before, cversion: 3, numChildren: 1, pzxid: stat!.czxid + 1n });
});

test('a change of the data leaves the children alone', () => {
  const { stat: before } = change(create('/a'));
  clock.advance(5);
  const { stat } = change(setData('/a', 0));
  expect(stat).toEqual({
    ...before,
    version: 1,
    mzxid: before!.mzxid + 1n,
    mtime: before!.mtime + 5n,
    dataLength: 9,
  });
});

describe('owners', () => {
  test('are visible for ephemeral nodes; marks of containers and ttls are not', () => {
    expect(change(create('/e', FLAGS.ephemeral)).stat!.ephemeralOwner).toBe(SESSION);
    expect(change(create('/c', 4, { op: OP.CREATE_CONTAINER })).stat!.ephemeralOwner).toBe(0n);
    expect(change(create('/t', 5, { op: OP.CREATE_TTL, ttl: 5n })).stat!.ephemeralOwner).toBe(0n);
  });

  test('take their ephemeral nodes with them', () => {
    for (const path of ['/e1', '/e2']) change(create(path, FLAGS.ephemeral));
    change(create('/kept'));
    const before = store.zxid;
    commit({ kind: 'closeSession', session: SESSION });
    expect([...store.tree.get('/')!.children].toSorted()).toEqual(['kept', 'zookeeper']);
    expect([store.zxid, statOf('/').pzxid]).toEqual([before + 1n, before + 1n]);
  });
});

describe('sequence numbers', () => {
  beforeEach(() => void change(create('/q')));

  const next = (): string => change(create('/q/n-', FLAGS.sequential)).path;
  const startAt = (cversion: number): void => void (store.tree.get('/q')!.cversion = cversion);

  test('count the creations under the parent', () => {
    expect([next(), next()]).toEqual(['/q/n-0000000000', '/q/n-0000000001']);
    change(create('/q/other'));
    change(remove('/q/other'));
    expect(next()).toBe('/q/n-0000000003');
  });

  test('stay at the last one, so that the same name is always refused (H20)', () => {
    startAt(LAST - 1);
    expect([next(), next()]).toEqual(['/q/n-2147483646', '/q/n-2147483647']);
    expect(failure(create('/q/n-', FLAGS.sequential))).toBe(ERROR_CODES.NODE_EXISTS);
    expect(change(create('/q/m-', FLAGS.sequential)).path).toBe('/q/m-2147483647');
  });

  test('go on below zero within one transaction (H20)', () => {
    startAt(LAST);
    const step = create('/q/n-', FLAGS.sequential);
    expect(transact(step, step, step)).toEqual(['/q/n-2147483647', '/q/n--2147483648', '/q/n--2147483647']);
  });

  test('have ten characters; a minus sign counts as one', () => {
    startAt(-5);
    expect(next()).toBe('/q/n--000000005');
  });
});

describe('a transaction', () => {
  test('happens as a whole, with one zxid', () => {
    change(create('/a'));
    const before = store.zxid;
    expect(
      transact(create('/a/b'), setData('/a/b', 0), check('/a/b', 1), remove('/a/b', 1), setData('/a')),
    ).toEqual(['/a/b', '/a/b', '/a/b', '/a/b', '/a']);
    expect(store.zxid).toBe(before + 1n);
    expect(statOf('/a')).toMatchObject({ version: 1, numChildren: 0, mzxid: before + 1n });
  });

  test('does not happen at all if one step is refused', () => {
    change(create('/a'));
    const { OK, BAD_VERSION, RUNTIME_INCONSISTENCY } = ERROR_CODES;
    expect(transact(create('/b'), setData('/a'), check('/a', 5), create('/c'), remove('/a'))).toEqual([
      OK,
      OK,
      BAD_VERSION,
      RUNTIME_INCONSISTENCY,
      RUNTIME_INCONSISTENCY,
    ]);
    expect(store.tree.get('/b')).toBeUndefined();
    expect(statOf('/a').version).toBe(0);
  });

  test('sees the results of its own steps', () => {
    expect(transact(create('/a'), create('/a'))).toEqual([ERROR_CODES.OK, ERROR_CODES.NODE_EXISTS]);
    expect(transact(create('/a'), create('/a/b'), remove('/a'))).toEqual([
      ERROR_CODES.OK,
      ERROR_CODES.OK,
      ERROR_CODES.NOT_EMPTY,
    ]);
    expect(transact(create('/a'), remove('/a'), create('/a'))).toEqual(['/a', '/a', '/a']);
  });
});

test('a defect of the server is not sent as a reply', () => {
  expect(() => errorCode(new RangeError('a defect'))).toThrow(RangeError);
  expect(errorCode(new OperationError('NO_NODE'))).toBe(-101);
});
