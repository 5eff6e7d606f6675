import { describe, expect, test } from 'vitest';
import { settled } from './fake-clock.js';
import { lockManager, type ManagerUnderTest } from './manager-harness.js';
import { TestGrant } from './test-grant.js';

describe('the end of work waits for the confirmation of the store', () => {
  async function finish(
    manager: ManagerUnderTest,
  ): Promise<{ grant: TestGrant; done: () => Promise<boolean> }> {
    const grant = new TestGrant(1n, true);
    let returned = false;
    const work = manager.locks.withLock('a', undefined, () => 'done').then(() => (returned = true));
    manager.provider.last.grant(grant);
    work.catch(() => {});
    return {
      grant,
      done: async () => {
        await settled();
        return returned;
      },
    };
  }

  test('while connected', async () => {
    const { grant, done } = await finish(lockManager());
    expect(await done()).toBe(false);
    grant.confirm();
    expect(await done()).toBe(true);
  });

  test('until contact is lost: a finished payment must not hang', async () => {
    const manager = lockManager();
    const { done, grant } = await finish(manager);
    expect(await done()).toBe(false);
    grant.loseContact();
    expect(await done()).toBe(true);
  });

  test('not with release: sent, once the release has been sent', async () => {
    const { done, grant } = await finish(lockManager({ release: 'sent' }));
    expect(await done()).toBe(false);
    expect(grant.releases).toBe(1);
    grant.leave();
    expect(await done()).toBe(true);
  });
});
