import { firstValueFrom } from 'rxjs';
import { expect, test } from 'vitest';
import { LockService, type LockModuleOptions } from '../../lib/index.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

/** An application behind a proxy that can cut the connection. */
async function start(overrides?: LockModuleOptions) {
  const proxy = endedWithTest(await FaultProxy.start(zooKeeper.server));
  const logger = new RecordingLogger();
  const options = zooKeeper.options({ connectString: proxy.connectString, ...overrides });
  const module = await startModule(options, {}, logger);
  const locks = module.get(LockService);
  return { proxy, module, locks, logger, log: new EventRecorder(locks) };
}

/** Collects the values that a stream has emitted so far. */
function watch(locks: LockService) {
  const ready: string[] = [];
  const states: string[] = [];
  const ended: string[] = [];
  locks.ready$.subscribe({ next: ({ type }) => ready.push(type), complete: () => ended.push('ready$') });
  locks.state$.subscribe({ next: (state) => states.push(state), complete: () => ended.push('state$') });
  locks.disconnected$.subscribe({
    next: ({ error }) => states.push(`disconnected: ${error instanceof Error}`),
    complete: () => ended.push('disconnected$'),
  });
  locks.lost$.subscribe({ complete: () => ended.push('lost$') });
  locks.ttlExpired$.subscribe({ complete: () => ended.push('ttlExpired$') });
  return { ready, states, ended };
}

test('ready$ and state$ report the connection at subscription', async () => {
  const { locks } = await start();
  const { ready, states } = watch(locks);
  expect(ready).toEqual(['ready']);
  expect(states).toEqual(['connected']);
});

test('a lost connection and the reconnection are reported in order, and the lock stays held', async () => {
  const { proxy, locks, log, logger } = await start();
  const { ready, states } = watch(locks);
  const held = await locks.lock('order');
  proxy.cutAll();
  await log.told('resumed');
  expect(await held.release()).toBe(true);
  expect(log.types).toEqual(['acquired', 'suspended', 'resumed', 'released']);
  expect(ready).toEqual(['ready', 'resumed']);
  expect(states).toEqual(['connected', 'suspended', 'disconnected: true', 'connected']);
  expect(logger.messages('warn').join()).toContain(
    'Lost contact with ZooKeeper, which puts held locks at risk',
  );
  expect(logger.messages('log').join()).toContain('Reconnected to ZooKeeper');
});

test('ready$ emits nothing at subscription while the connection is lost', async () => {
  const { proxy, locks, log } = await start();
  proxy.refuse();
  await log.told('suspended');
  const { ready, states } = watch(locks);
  expect(ready).toEqual([]);
  expect(states).toEqual(['suspended']);
  await proxy.accept();
  await log.told('resumed');
  expect(ready).toEqual(['resumed']);
});

test('when a session expires its locks are lost, and a new session is opened', async () => {
  const { proxy, locks, log, logger } = await start();
  const { ready, states } = watch(locks);
  const { session } = await firstValueFrom(locks.ready$);
  const held = await locks.lock('order');
  proxy.rewriteSessionId(0n);
  proxy.cutAll();
  await log.told('ready');
  expect(log.types).toEqual(['acquired', 'suspended', 'sessionExpired', 'lost', 'ready']);
  expect(log.ofType('sessionExpired')).toMatchObject([{ session }]);
  expect(log.ofType('lost')).toMatchObject([{ resource: 'order', reason: 'session' }]);
  expect(held.isHeld()).toBe(false);
  expect(ready).toEqual(['ready', 'ready']);
  expect(states).toEqual(['connected', 'suspended', 'disconnected: true', 'expired', 'connected']);
  expect(logger.messages('warn').join()).toContain(
    `ZooKeeper session ${session} has expired: the next locks will be in another one`,
  );
  expect(logger.messages('error').join()).toContain("Lock 'order' was lost (session)");
  expect(await locks.withLock('other', () => 'works again')).toBe('works again');
});

test('a lazy application is notified of the first connection', async () => {
  const proxy = endedWithTest(await FaultProxy.start(zooKeeper.server));
  proxy.refuse();
  const options = zooKeeper.options({ connectString: proxy.connectString, lazy: true });
  const locks = (await startModule(options, {})).get(LockService);
  const { ready, states } = watch(locks);
  expect(states).toEqual(['connecting']);
  const log = new EventRecorder(locks);
  await proxy.accept();
  const { session, server, sessionTimeout } = await log.told('ready');
  expect(session).toMatch(/^0x[0-9a-f]+$/);
  expect(server).toBe(proxy.connectString);
  expect(sessionTimeout).toBe(20_000);
  expect(ready).toEqual(['ready']);
  expect(states).toEqual(['connecting', 'connected']);
});

test('all streams complete after closed', async () => {
  const { module, locks, log } = await start();
  const { states, ended } = watch(locks);
  await module.close();
  expect(log.types).toEqual(['closed']);
  expect(states.at(-1)).toBe('closed');
  expect(ended.sort()).toEqual(['disconnected$', 'lost$', 'ready$', 'state$', 'ttlExpired$']);
  const late = watch(locks);
  expect(late.ready).toEqual([]);
  expect(late.ended.sort()).toEqual(ended);
});
