import { expect, test } from 'vitest';
import {
  acceptFencingToken,
  commitFenced,
  fencingHeaders,
  InMemoryFencingTokenStore,
  LockConfigurationError,
  type AcceptFencingTokenOptions,
  type FencedWrite,
  type ZnodeClient,
  type ZnodeTransaction,
} from '../../lib/index.js';

const noDatabase = { query: () => Promise.reject(new Error('the database was called')) };

const noClient = {} as ZnodeClient<ZnodeTransaction>;

const WRONG: readonly [object, string][] = [
  [
    { fencingToken: 5 },
    'must be a bigint from 1 to 9223372036854775807: got 5 (number). Pass held.fencingToken',
  ],
  [{ fencingToken: '5' }, "got '5' (string)"],
  [{ fencingToken: undefined }, 'got undefined'],
  [{ fencingToken: 0n }, 'got 0 (bigint)'],
  [{ fencingToken: 2n ** 63n }, 'got 9223372036854775808 (bigint)'],
  [{ mode: 'read' }, "got a hold with mode 'read'"],
  [{ mode: 'semaphore' }, "got a hold with mode 'semaphore'"],
];

test.for([...WRONG, [{ resource: '' }, "got '' (string)"], [{ resource: 7 }, 'got 7 (number)']] as const)(
  'a store refuses %o',
  async ([wrong, message]) => {
    const write = { resource: 'account:7', fencingToken: 5n, ...wrong } as FencedWrite;
    for (const refused of [
      acceptFencingToken(noDatabase, write),
      new InMemoryFencingTokenStore().accept(write),
    ]) {
      await expect(refused).rejects.toThrow(LockConfigurationError);
      await expect(refused).rejects.toThrow(message);
    }
  },
);

test.for(WRONG)('a header is refused for %o', ([wrong, message]) => {
  const held = { fencingToken: 5n, ...wrong } as FencedWrite;
  expect(() => fencingHeaders(held)).toThrow(LockConfigurationError);
  expect(() => fencingHeaders(held)).toThrow(message);
});

test.for([
  [undefined, 'got undefined. LockService.current() returns undefined outside a lock'],
  [null, 'got null'],
  [5n, 'got 5 (bigint)'],
] as const)('%s instead of a hold is refused', async ([none, message]) => {
  const write = none as unknown as FencedWrite;
  for (const refused of [
    acceptFencingToken(noDatabase, write),
    new InMemoryFencingTokenStore().accept(write),
    commitFenced(noClient, '/fence', write, () => {}),
    Promise.resolve().then(() => fencingHeaders(write)),
  ]) {
    await expect(refused).rejects.toThrow(LockConfigurationError);
    await expect(refused).rejects.toThrow(message);
  }
});

test('several locks that are held together are refused, because each has a token', async () => {
  const members = [
    { resource: 'a', fencingToken: 5n },
    { resource: 'b', fencingToken: 6n },
  ];
  const write = { members } as unknown as FencedWrite;
  for (const refused of [
    acceptFencingToken(noDatabase, write),
    commitFenced(noClient, '/fence', write, () => {}),
    Promise.resolve().then(() => fencingHeaders(write)),
  ]) {
    await expect(refused).rejects.toThrow(LockConfigurationError);
    await expect(refused).rejects.toThrow(
      'got 2 that are held together, each with its own token. Pass each of held.members',
    );
  }
});

test.for([
  [{ tabel: 'shop.tokens' }, "unknown option 'tabel': accepted are table"],
  ['shop.tokens', "such as { table: 'shop.fencing_tokens' }: got 'shop.tokens' (string)"],
  [null, 'got null'],
  [Promise.resolve({}), 'got an object Promise. Await it first'],
] as [unknown, string][])('%o instead of options is refused', async ([options, message]) => {
  const write = { resource: 'account:7', fencingToken: 5n };
  const refused = acceptFencingToken(noDatabase, write, options as AcceptFencingTokenOptions);
  await expect(refused).rejects.toThrow(LockConfigurationError);
  await expect(refused).rejects.toThrow(message);
});

test('the header carries all digits of the token', () => {
  expect(fencingHeaders({ fencingToken: 2n ** 63n - 1n, mode: 'write' })).toEqual({
    'Fencing-Token': '9223372036854775807',
  });
});

test.for(['', 'a b', 'a;b', '1a', 'a.b.c', 'a"', 7])('the table %o is refused', async (table) => {
  const refused = acceptFencingToken(
    noDatabase,
    { resource: 'account:7', fencingToken: 5n },
    { table: table as string },
  );
  await expect(refused).rejects.toThrow(LockConfigurationError);
  await expect(refused).rejects.toThrow('`table` must be a name');
});
