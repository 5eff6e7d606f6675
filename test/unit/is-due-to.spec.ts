import { describe, expect, test } from 'vitest';
import { setTimeout as sleep } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';
import { LockService } from '../../lib/index.js';
import { LockLostError } from '../../lib/locking/errors/lock-lost.error.js';
import { isDueTo } from '../../lib/locking/is-due-to.js';
import { settled } from './fake-clock.js';
import { lockManager, rejectionOf, type ManagerUnderTest } from './manager-harness.js';

const LOSS = new LockLostError('a', 'session');
const OWN = new Error('card declined');

/** As in the sandbox of a test runner, whose `Error` is not that of Node's own APIs. */
function foreign(cause: Error): unknown {
  return runInNewContext("new Error('stopped', { cause })", { cause });
}

function circular(): Error {
  const error = new Error('circular');
  error.cause = error;
  return error;
}

test.each([
  ['the reason', LOSS, true],
  ['an error that the reason has caused', new Error('stopped', { cause: LOSS }), true],
  ['one further away', new Error('failed', { cause: new Error('stopped', { cause: LOSS }) }), true],
  ['the loss of another lock', new LockLostError('b', 'session'), true],
  ['one that another loss has caused', new Error('stopped', { cause: new LockLostError('b', 'ttl') }), true],
  ['work without its lock, which it has released', new LockLostError('b', 'released'), false],
  ['an error of another realm', foreign(LOSS), true],
  ['another error', OWN, false],
  ['another error with a cause', new Error('failed', { cause: OWN }), false],
  ['an error that is its own cause', circular(), false],
  ['what is no error', 'card declined', false],
])('%s is due to the loss: %#', (_what, error, expected) => {
  expect(isDueTo(LOSS, error)).toBe(expected);
});

describe('work that stops when its locks are lost is no failure', () => {
  const untilAborted = ({ signal }: { readonly signal: AbortSignal }) => sleep(60_000, undefined, { signal });

  async function grantAll({ provider }: ManagerUnderTest, count: number) {
    const grants = [];
    for (let index = 0; index < count; index += 1) {
      grants.push(provider.attempts[index]!.grant());
      await settled();
    }
    return grants;
  }

  test('within the lock of other code', async () => {
    const manager = lockManager();
    const { locks } = manager;
    const running = locks.withLock('a', {}, () => locks.withLock('b', {}, untilAborted));
    for (const grant of await grantAll(manager, 2)) grant.lose('session');
    expect(await rejectionOf(running)).toMatchObject({ resource: 'a' });
    await settled();
    expect(manager.log).not.toContain('workRejected');
  });

  test('within the same lock', async () => {
    const manager = lockManager();
    const { locks } = manager;
    const running = locks.withLock('a', {}, () => locks.withLock('a', { reentrant: true }, untilAborted));
    const [grant] = await grantAll(manager, 1);
    grant!.lose('session');
    expect(await rejectionOf(running)).toMatchObject({ resource: 'a' });
    await settled();
    expect(manager.log).not.toContain('workRejected');
  });

  test.each([0, 1])('by the signal of the current one of several: %s', async (lost) => {
    const manager = lockManager();
    const running = manager.locks.withLock(['a', 'b'], {}, () => untilAborted(LockService.currentOrThrow()));
    await settled();
    const grants = manager.provider.attempts.map((attempt) => attempt.grant());
    await settled();
    grants[lost]!.lose('session');
    expect(await rejectionOf(running)).toMatchObject({ reason: 'session' });
    await settled();
    expect(manager.log).not.toContain('workRejected');
  });

  test('of a leader', async () => {
    const manager = lockManager();
    const failures: unknown[] = [];
    const campaign = manager.locks.elections.campaign(
      'a',
      {},
      {
        lead: () => manager.locks.withLock('b', {}, untilAborted),
        failed: (error) => failures.push(error),
      },
    );
    const running = campaign.run();
    await settled();
    for (const grant of await grantAll(manager, 2)) grant.lose('session');
    await settled();
    campaign.end(new Error('over'));
    await running;
    expect(failures).toEqual([]);
  });
});
