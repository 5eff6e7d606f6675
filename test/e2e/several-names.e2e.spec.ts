import { Injectable } from '@nestjs/common';
import { Observable, defer, firstValueFrom, lastValueFrom, of, toArray } from 'rxjs';
import { expect, test } from 'vitest';
import { LockConfigurationError, LockService, Locked } from '../../lib/index.js';
import { LockTesting, LockTestingModule } from '../../lib/testing/index.js';
import { eventually } from '../support/eventually.js';
import { Latch } from '../fixtures/latch.js';
import { startModule } from '../fixtures/start-module.js';

const held = (): string[] =>
  ['account:7', 'account:9'].filter((name) => LockService.current(name)?.isHeld() === true);

@Injectable()
class Accounts {
  readonly finish = new Latch();

  @Locked(['account:{0}', 'account:{1}'], { ttl: 60_000 })
  async transfer(_from: string, _to: string) {
    await this.finish.opened;
    return held();
  }

  @Locked((from: string, to: string) => [`account:${from}`, `account:${to}`])
  list(_from: string, _to: string): Observable<string> {
    return defer(() => of(...held()));
  }

  @Locked((...ids: string[]) => ids.map((id) => `account:${id}`), { wait: 0, onBusy: 'skip' })
  async *audit(..._ids: string[]) {
    yield* held();
  }
}

async function start() {
  const module = await startModule({}, { imports: [LockTestingModule.forRoot()], providers: [Accounts] });
  return {
    accounts: module.get(Accounts),
    testing: module.get(LockTesting),
    locks: module.get(LockService),
  };
}

test('a method runs under all of its locks', async () => {
  const { accounts, testing, locks } = await start();
  const acquired = firstValueFrom(locks.forResource('account:9').events$);
  const transferring = accounts.transfer('9', '7');
  expect(await acquired).toMatchObject({ type: 'acquired' });
  expect(testing.holders.map(({ resource }) => resource).toSorted()).toEqual(['account:7', 'account:9']);
  accounts.finish.open();
  expect(await transferring).toEqual(['account:7', 'account:9']);
  testing.assertLocked(Accounts, 'transfer', 'account:7');
  testing.assertLocked(Accounts, 'transfer', 'account:9');
  testing.assertNothingHeld();
});

test('a method whose arguments give the same name twice has one lock', async () => {
  const { accounts, testing } = await start();
  accounts.finish.open();
  expect(await accounts.transfer('7', '7')).toEqual(['account:7']);
  expect(testing.holds).toHaveLength(1);
});

test('streams keep all of their locks until they end', async () => {
  const { accounts, testing } = await start();
  expect(await lastValueFrom(accounts.list('9', '7').pipe(toArray()))).toEqual(['account:7', 'account:9']);
  const seen: string[] = [];
  for await (const name of accounts.audit('7', '9')) seen.push(`${name} of ${testing.holders.length}`);
  expect(seen).toEqual(['account:7 of 2', 'account:9 of 2']);
  testing.assertNothingHeld();
});

test('a busy one skips the method, and leaves the others free', async () => {
  const { accounts, testing, locks } = await start();
  const blocker = await locks.lock('account:9');
  const seen: string[] = [];
  for await (const name of accounts.audit('7', '9')) seen.push(name);
  expect(seen).toEqual([]);
  await eventually(() => testing.holders.length === 1);
  expect(testing.holders[0]!.resource).toBe('account:9');
  await blocker.release();
});

test('an empty list of names is refused at the call', async () => {
  const { accounts } = await start();
  await expect(accounts.audit().next()).rejects.toThrow(LockConfigurationError);
  expect(() => Locked([])).toThrow('@Locked needs a resource: a non-empty string, a list of them');
});
