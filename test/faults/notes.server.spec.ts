import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LockService } from '../../lib/index.js';
import { Hold } from '../../lib/locking/hold.js';
import { eventually } from '../support/eventually.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { withError } from '../support/with-error.js';
import { ProxiedLocks } from './proxied-locks.js';

const SESSION_EXPIRED = -112;

/** Holds can read and write the note of their resource; users cannot. */
async function holdOf(locks: LockService, resource = 'job'): Promise<Hold> {
  const held = await locks.lock(resource);
  if (held instanceof Hold) return held;
  throw new Error('Not a hold');
}

describe('the note of a resource', () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer();
  });

  afterAll(async () => server.giveBack());

  async function readBy(locks: LockService, resource?: string): Promise<string | undefined> {
    await using held = await holdOf(locks, resource);
    return await held.note.read();
  }

  it('is what the last holder has written, and outlives the lock path', async () => {
    await using setup = await ProxiedLocks.start(server);
    await using held = await holdOf(setup.locks);
    expect(await held.note.read()).toBeUndefined();
    await held.note.write('first');
    await held.note.write('sécond');
    const local = setup.locks.lock('job', { wait: 60_000 });
    await held.release();
    await using next = await local;
    await (next as Hold).note.write('third');
    await next.release();
    await setup.observer.delete(setup.path('job'));
    expect(await readBy(setup.others)).toBe('third');
    expect(await readBy(setup.others, 'other')).toBeUndefined();
    expect(await setup.observer.getChildren(setup.path('.notes'))).toEqual(['job']);
  });

  it.each(['cutBeforeForward', 'forwardThenCutBeforeReply'] as const)(
    'is written despite a lost request or reply (%s), the first time and later',
    async (action) => {
      await using setup = await ProxiedLocks.start(server);
      await using held = await holdOf(setup.locks);
      for (const text of ['first', 'second']) {
        const fault = setup.proxy.once('multi', action);
        await held.note.write(text);
        await fault.fired;
        expect(await held.note.read()).toBe(text);
      }
      expect(await held.release()).toBe(true);
      expect(await readBy(setup.others)).toBe('second');
    },
  );

  it('is written although a server says that the session has expired, if others keep it', async () => {
    await using setup = await ProxiedLocks.start(server);
    await using held = await holdOf(setup.locks);
    const refusal = setup.proxy.rewriteReply('multi', (reply) => withError(reply, SESSION_EXPIRED));
    await held.note.write('first');
    await refusal.fired;
    expect(await held.release()).toBe(true);
    expect(setup.count('lost')).toBe(0);
    expect(await readBy(setup.others)).toBe('first');
  });

  it('is not written by a holder whose node is gone, even if it sent the request before, and it learns of that', async () => {
    await using setup = await ProxiedLocks.start(server);
    await using held = await holdOf(setup.locks);
    await held.note.write('mine');
    const fault = setup.proxy.once('multi', 'holdRequest', { where: ({ size }) => size > 100 });
    const late = held.note.write('late').catch((error: unknown) => error);
    await fault.fired;
    const [node] = await setup.contenders('job');
    await setup.observer.delete(`${setup.path('job')}/${node}`);
    await using rival = await holdOf(setup.others);
    await rival.note.write('of the rival');
    fault.release();
    expect(await late).toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
    expect(held.isHeld()).toBe(false);
    expect(await rival.note.read()).toBe('of the rival');
  });

  it('is not written by a holder whose session expires before it has contact again', async () => {
    await using setup = await ProxiedLocks.start(server, { sessionTimeout: 1_000 });
    await using held = await holdOf(setup.locks);
    setup.proxy.refuse();
    await eventually(() => setup.count('suspended') === 1);
    const late = held.note.write('late').catch((error: unknown) => error);
    await using rival = await holdOf(setup.others);
    await rival.note.write('of the rival');
    await setup.proxy.accept();
    expect(await late).toMatchObject({ code: 'LOCK_LOST', reason: 'session' });
    expect(await rival.note.read()).toBe('of the rival');
  });
});
