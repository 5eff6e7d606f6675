import { once } from 'node:events';
import { Controller, Post, UseGuards } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  acceptFencingToken,
  FencingGuard,
  fencingHeaders,
  FencingTokenStore,
  StaleFencingTokenError,
  type FencedWrite,
  type FencingDatabase,
} from '../../lib/index.js';
import { EmbeddedZooKeeper } from '../../lib/testing/index.js';
import { Document } from '../docs/document.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { postgresql, usePostgres } from '../fixtures/postgres-fixture.js';
import { TestApp } from '../fixtures/test-app.js';
import { eventually } from '../support/eventually.js';
import { installed } from '../support/installed.js';
import { WriterProcess, type WriterCommand } from './writer-process.js';

const GUARDS = ['table', 'row', 'none'] as const;

@Controller('pages')
class Printer {
  pages = 0;

  @Post()
  @UseGuards(FencingGuard(() => 'printer'))
  print() {
    this.pages += 1;
  }
}

/** The table that users are told to create. */
const [TOKENS] = Document.read('docs/fencing.md').blocks('sql');

describe.runIf(installed(postgresql))('in Postgres', () => {
  const postgres = usePostgres([
    TOKENS!.text,
    'CREATE TABLE accounts (guard text PRIMARY KEY, balance bigint NOT NULL, last_token bigint NOT NULL DEFAULT 0)',
    'CREATE SCHEMA shop',
    TOKENS!.text.replace('fencing_tokens', 'shop.fencing_tokens'),
  ]);
  /** Tests do not share tokens. */
  let resource: string;

  beforeEach(async ({ task }) => {
    resource = task.name;
    await postgres.pool.query('TRUNCATE accounts');
    for (const guard of GUARDS)
      await postgres.pool.query('INSERT INTO accounts (guard, balance) VALUES ($1, 0)', [guard]);
  });

  async function balances(): Promise<Record<string, number>> {
    const { rows } = await postgres.pool.query<{ guard: string; balance: string }>(
      'SELECT guard, balance FROM accounts',
    );
    return Object.fromEntries(rows.map(({ guard, balance }) => [guard, Number(balance)]));
  }

  function accept(fencingToken: bigint, db: FencingDatabase = postgres.pool): Promise<void> {
    return acceptFencingToken(db, { resource, fencingToken });
  }

  /** Ends with the test. */
  async function begin(isolation = 'READ COMMITTED'): Promise<PoolClient> {
    const client = await postgres.pool.connect();
    endedWithTest({
      [Symbol.asyncDispose]: async () => {
        const ended = once(client, 'end');
        client.release(true);
        await ended;
      },
    });
    await client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
    return client;
  }

  async function waitsForALock(client: PoolClient): Promise<void> {
    const { processID } = client as PoolClient & { readonly processID: number };
    await eventually(async () => {
      const { rowCount } = await postgres.pool.query(
        "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event_type = 'Lock'",
        [processID],
      );
      return rowCount === 1;
    });
  }

  test('a process that was stopped while it held the lock writes late: it is rejected, and the data stay', async () => {
    const zookeeper = endedWithTest(await EmbeddedZooKeeper.start({ onNotice: false }));
    const start = () => WriterProcess.start(zookeeper.connectString, postgres.address);
    const writing = (balance: number) => GUARDS.map((guard) => ({ type: 'write', guard, balance }) as const);
    const runAll = async (writer: WriterProcess, commands: readonly WriterCommand[]) => {
      const replies = [];
      for (const command of commands) replies.push(await writer.call(command));
      return replies;
    };

    const stale = start();
    const first = await stale.call({ type: 'lock', resource });
    const [session] = zookeeper.sessions;
    const rival = start();
    const granted = rival.call({ type: 'lock', resource });
    await eventually(() => zookeeper.ephemerals().length === 2);
    stale.stop();
    zookeeper.expireSession(session!.id);
    const token = expect.any(BigInt) as bigint;
    expect([first, await granted]).toEqual([
      { done: true, token },
      { done: true, token },
    ]);
    expect(await runAll(rival, writing(200))).toMatchObject([{ done: true }, { done: true }, { done: true }]);

    const [late, ...later] = writing(100);
    const decided = stale.call(late!);
    stale.continue();
    const rejected = { done: false, code: 'LOCK_STALE_TOKEN' };
    expect([await decided, ...(await runAll(stale, later))]).toMatchObject([
      rejected,
      rejected,
      { done: true },
    ]);
    // Without a guard, the late write destroys the newer one.
    expect(await balances()).toEqual({ table: 200, row: 200, none: 100 });
  });

  test('a holder that raises the token before it reads loses no late write that was accepted', async () => {
    const read =
      "UPDATE accounts SET last_token = $1 WHERE guard = 'row' AND last_token <= $1 RETURNING balance";
    const write =
      "UPDATE accounts SET balance = $1, last_token = $2 WHERE guard = 'row' AND last_token <= $2";
    const first = await postgres.pool.query<{ balance: string }>(read, ['5']);
    const second = await postgres.pool.query<{ balance: string }>(read, ['6']);
    expect([first.rows, second.rows]).toEqual([[{ balance: '0' }], [{ balance: '0' }]]);
    expect((await postgres.pool.query(write, ['50', '5'])).rowCount).toBe(0);
    expect((await postgres.pool.query(write, ['7', '6'])).rowCount).toBe(1);
    expect(await balances()).toMatchObject({ row: 7 });
  });

  test('an older write waits for the transaction of a later one, and is rejected', async () => {
    const [later, stale] = [await begin(), await begin()];
    await accept(6n, later);
    const late = accept(5n, stale);
    late.catch(() => {});
    await waitsForALock(stale);
    await later.query('COMMIT');
    await expect(late).rejects.toThrow(StaleFencingTokenError);
    await expect(late).rejects.toMatchObject({ resource, fencingToken: 5n, newest: 6n });
  });

  test('an older write is accepted if the transaction of the later one rolls back', async () => {
    const [later, older] = [await begin(), await begin()];
    await accept(6n, later);
    const accepted = accept(5n, older);
    await waitsForALock(older);
    await later.query('ROLLBACK');
    await accepted;
  });

  test('a later write waits for the transaction of an older one, and so comes after it', async () => {
    const [older, later] = [await begin(), await begin()];
    await accept(5n, older);
    const accepted = accept(6n, later).then(() => later.query('UPDATE accounts SET balance = 6'));
    await waitsForALock(later);
    await older.query('UPDATE accounts SET balance = 5');
    await older.query('COMMIT');
    await accepted;
    await later.query('COMMIT');
    expect(await balances()).toMatchObject({ table: 6 });
  });

  test('a transaction whose snapshot is older than the later write fails', async () => {
    const stale = await begin('REPEATABLE READ');
    await stale.query('SELECT balance FROM accounts');
    await accept(6n);
    await expect(accept(5n, stale)).rejects.toMatchObject({ code: '40001' });
  });

  test('tokens beyond the precision of a number are compared exactly; a holder may write again', async () => {
    const token = 2n ** 63n - 2n;
    await accept(token);
    await accept(token);
    await expect(accept(token - 1n)).rejects.toMatchObject({ fencingToken: token - 1n, newest: token });
    await accept(token + 1n);
  });

  test('resources and tables do not share tokens', async () => {
    await accept(6n);
    await acceptFencingToken(postgres.pool, { resource: `${resource}'s other`, fencingToken: 5n });
    const write = { resource, fencingToken: 5n };
    await acceptFencingToken(postgres.pool, write, { table: 'shop.fencing_tokens' });
    const stale = acceptFencingToken(
      postgres.pool,
      { ...write, fencingToken: 4n },
      { table: 'shop.fencing_tokens' },
    );
    await expect(stale).rejects.toMatchObject({ newest: 5n });
  });

  test('processes that serve a resource share the table', async () => {
    const tokens = {
      provide: FencingTokenStore,
      useValue: { accept: (write: FencedWrite) => acceptFencingToken(postgres.pool, write) },
    };
    const start = () => TestApp.start({ controllers: [Printer], providers: [tokens] });
    const [one, other] = [await start(), await start()];
    const print = async (app: TestApp, fencingToken: bigint) =>
      (await app.fetch('/pages', { method: 'POST', headers: fencingHeaders({ fencingToken }) })).status;
    expect(await print(one, 6n)).toBe(201);
    expect(await print(other, 5n)).toBe(412);
    expect([one, other].map((app) => app.get(Printer).pages)).toEqual([1, 0]);
  });

  test.each([
    ['rows and metadata together', async () => [[], { rowCount: 0 }]],
    ['rows without names', async () => [['6']]],
    ['a number of rows', async () => 1],
  ])('an answer without a token is refused: %s', async (_, query) => {
    const db = { query } as unknown as FencingDatabase;
    await expect(accept(6n, db)).rejects.toThrow(/must return the rows.*got/s);
  });

  test('a client whose results are the rows is accepted', async () => {
    const db: FencingDatabase = {
      query: async (text, values) => (await postgres.pool.query<object>(text, values)).rows,
    };
    await accept(6n, db);
    await expect(accept(5n, db)).rejects.toMatchObject({ newest: 6n });
  });
});
