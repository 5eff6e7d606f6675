import { Logger } from '@nestjs/common';
import { acceptFencingToken, createLockService, StaleFencingTokenError, type HeldLock } from 'nestjs-locked';
import { Pool } from 'pg';
import type { WriterCommand, WriterReply } from '../fencing/writer-process.js';

/** A replica that writes balances under a lock. Like code that cannot be interrupted, it ignores the signal of the lock. */
const [connectString, connectionString] = process.argv.slice(2);
const pool = new Pool({ connectionString });

async function write(held: HeldLock, { guard, balance }: WriterCommand & { type: 'write' }): Promise<void> {
  if (guard === 'table') return writeInTransaction(held, balance);
  const values = [balance, guard];
  if (guard === 'none') {
    await pool.query('UPDATE accounts SET balance = $1 WHERE guard = $2', values);
    return;
  }
  const { rowCount } = await pool.query(
    'UPDATE accounts SET balance = $1, last_token = $3 WHERE guard = $2 AND last_token <= $3',
    [...values, String(held.fencingToken)],
  );
  if (rowCount === 0) throw new StaleFencingTokenError(held);
}

async function writeInTransaction(held: HeldLock, balance: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    await acceptFencingToken(client, held);
    await client.query("UPDATE accounts SET balance = $1 WHERE guard = 'table'", [balance]);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}

async function run(command: WriterCommand): Promise<WriterReply> {
  if (command.type === 'lock') {
    held = await locks.lock(command.resource);
    return { done: true, token: held.fencingToken };
  }
  try {
    await write(held!, command);
    return { done: true, token: held!.fencingToken };
  } catch (error) {
    return { done: false, code: (error as { code?: string }).code ?? String(error) };
  }
}

Logger.overrideLogger(false);
let held: HeldLock | undefined;
const locks = await createLockService({ connectString: connectString! });
process.on('message', (command: WriterCommand) => void run(command).then((reply) => process.send!(reply)));
// The parent has exited.
process.on('disconnect', () => process.exit());
