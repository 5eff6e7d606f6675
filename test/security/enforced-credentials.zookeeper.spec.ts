import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLockService, LockUnavailableError } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** Answers every request of a client without credentials with an error, and ends the connection, not the session. */
const ENFORCE = ['-Dzookeeper.enforce.auth.enabled=true', '-Dzookeeper.enforce.auth.schemes=digest'];
const REFUSED = 'ZooKeeper refused the credentials. Check the `auth` option.';

let server: ZooKeeperServer;
beforeAll(async () => {
  server = await ZooKeeperServer.start({ jvm: ENFORCE });
});
afterAll(() => server.stop());

it('a client without credentials fails permanently instead of reconnecting indefinitely (H39)', async () => {
  const locks = await createLockService({ connectString: server.connectString, lazy: true });
  const events = new EventRecorder(locks);

  for (const attempt of [
    () => locks.lock('order'),
    () => locks.tryLock('order'),
    () => locks.inspect('order'),
  ]) {
    const error: unknown = await attempt().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(LockUnavailableError);
    expect(error).toMatchObject({ message: expect.stringContaining(REFUSED) });
  }
  expect(events.ofType('authenticationFailed')).toHaveLength(1);
  expect(locks.state).toBe('closed');
  // The reply may be lost with the connection a few times, but not indefinitely.
  expect(events.types.at(-1)).toBe('failed');
  await locks.close();
});

it('a client without credentials does not start, unless it is lazy', async () => {
  await expect(createLockService({ connectString: server.connectString })).rejects.toThrow(REFUSED);
});

it('a client with credentials sends them on every connection, before its first request', async () => {
  await using proxy = await FaultProxy.start(server);
  const auth = { credential: 'shop:secret' };
  const locks = await createLockService({ connectString: proxy.connectString, auth });
  const events = new EventRecorder(locks);
  const held = await locks.lock('order');

  proxy.cutAll();
  await events.told('resumed');

  expect(held.isHeld()).toBe(true);
  expect(await held.release()).toBe(true);
  await locks.withLock('order', () => {});
  expect(events.ofType('authenticationFailed')).toEqual([]);
  await locks.close();
});
