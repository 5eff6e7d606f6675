import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLockService, LockUnavailableError } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { LockProcess } from '../support/lock-process.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

/** Answers every request of a client without credentials with an error, and ends the connection, not the session. */
const ENFORCE = ['-Dzookeeper.enforce.auth.enabled=true', '-Dzookeeper.enforce.auth.schemes=digest'];
const AUTH = { credential: 'shop:secret' };
/** No session of a test ends by itself. */
const SESSION_TIMEOUT_MS = 40_000;
const SOON_MS = 10_000;
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
  const locks = await createLockService({ connectString: proxy.connectString, auth: AUTH });
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

it('a client that has to connect again to end its session ends it with its credentials', async () => {
  await using proxy = await FaultProxy.start(server);
  const options = { auth: AUTH, sessionTimeout: SESSION_TIMEOUT_MS, drainTimeout: 0 };
  const locks = await createLockService({ ...options, connectString: proxy.connectString });
  const events = new EventRecorder(locks);
  await locks.lock('order');

  proxy.refuse();
  await events.told('suspended');
  const closed = locks.close();
  await proxy.accept();
  await closed;

  const others = await createLockService({ ...options, connectString: server.connectString });
  await others.withLock('order', { wait: SOON_MS }, () => {});
  await others.close();
});

it('a crash guard ends the session of a killed process with the credentials of the process', async () => {
  const options = { connectString: server.connectString, auth: AUTH, sessionTimeout: SESSION_TIMEOUT_MS };
  await using killed = await LockProcess.start({ ...options, crashGuard: true });
  await killed.lock('held', 'order');

  await killed.kill();

  const others = await createLockService(options);
  await others.withLock('order', { wait: SOON_MS }, () => {});
  await others.close();
});
