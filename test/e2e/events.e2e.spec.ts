import { expect, test } from 'vitest';
import { LockBusyError, LockService, type LockEvent, type LockModuleOptions } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Program } from '../fixtures/program.js';
import { Replica } from '../fixtures/replica.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

async function start(overrides?: LockModuleOptions) {
  const options = zooKeeper.options({ owner: 'me', ...overrides });
  const replica = await Replica.open(options);
  const module = await startModule(options, {});
  const locks = module.get(LockService);
  return { module, replica, locks, log: new EventRecorder(locks) };
}

test('events contain the details that a log needs', async () => {
  const { locks, replica, log } = await start();
  const first = await replica.hold('order');
  const waiting = locks.lock('order', { ttl: 60_000 });
  await log.told('waiting');
  await first.release();
  const held = await waiting;
  await held.release();
  const about = { resource: 'order', owner: 'me', mode: 'exclusive', at: expect.any(Number) as number };
  expect(log.events).toEqual([
    { type: 'waiting', ...about, requeued: false, ahead: 1 },
    { type: 'acquired', ...about, fencingToken: held.fencingToken, waitedMs: expect.any(Number) as number },
    { type: 'released', ...about, fencingToken: held.fencingToken, heldMs: expect.any(Number) as number },
  ]);
  expect(held.fencingToken).toBeGreaterThan(first.fencingToken);
});

test('forResource emits the events of exactly one resource', async () => {
  const { locks } = await start();
  const types: string[] = [];
  const expired: string[] = [];
  locks.forResource('order:1').events$.subscribe(({ type }) => types.push(type));
  locks.forResource('order:1').ttlExpired$.subscribe(({ resource }) => expired.push(resource));
  locks.forResource('order:10').ttlExpired$.subscribe(({ resource }) => expired.push(resource));
  await locks.withLock('order:10', () => {});
  await locks.withLock('order', () => {});
  await expect(locks.withLock('order:1', 50, () => new Promise(() => {}))).rejects.toThrow('(ttl)');
  expect(types).toEqual(['acquired', 'ttlExpired']);
  expect(expired).toEqual(['order:1']);
});

test('an event that a subscriber causes is delivered after the current one', async () => {
  const { locks } = await start();
  const inner = await locks.lock('inner');
  const outer = await locks.lock('outer');
  const seen: string[] = [];
  const note = (who: string) => (event: LockEvent) => {
    if ('resource' in event) seen.push(`${who}: ${event.resource} ${event.type}`);
  };
  locks.events$.subscribe(note('first'));
  locks.forResource('outer').events$.subscribe(() => void inner.release());
  locks.events$.subscribe(note('last'));
  await outer.release();
  expect(seen).toEqual([
    'first: outer released',
    'last: outer released',
    'first: inner released',
    'last: inner released',
  ]);
});

test('a throwing subscriber causes an uncaught exception, but affects no locks or other subscribers', async () => {
  const program = Program.start('throwing-subscriber', zooKeeper.options());
  expect(await program.ended).toEqual({ code: 0, signal: null });
  const about = (part: string) => program.messages.filter((message) => message.startsWith(part));
  expect(about('result')).toEqual(['result 0', 'result 1']);
  // Once a subscriber has thrown, rxjs keeps it subscribed: it throws at every grant.
  expect(about('uncaught')).toEqual(['uncaught the subscriber fails', 'uncaught the subscriber fails']);
  expect(about('event')).toEqual([
    'event acquired',
    'event released',
    'event acquired',
    'event released',
    'event closed',
  ]);
});

test('every attempt ends once, and every hold ends once', async () => {
  const { module, locks, replica, log } = await start();
  await replica.hold('taken');
  const attempts = Array.from({ length: 60 }, async (_, i) => {
    const resource = `resource ${i % 3}`;
    if (i % 5 === 0) return locks.tryLock(resource).then((held) => held?.release());
    if (i % 5 === 1) return locks.withLock(resource, 20, () => new Promise(() => {}));
    if (i % 5 === 2) return locks.lock('taken', { wait: 4_000 });
    if (i % 5 === 3) {
      const abort = new AbortController();
      const waiting = locks.lock('taken', { signal: abort.signal });
      await log.told('waiting');
      abort.abort();
      return waiting;
    }
    return locks.withLock(resource, { wait: i % 2 === 0 ? 0 : Infinity }, () => 'done');
  });
  await Promise.allSettled(attempts);
  await expect(locks.lock('taken', { wait: 0 })).rejects.toBeInstanceOf(LockBusyError);
  await module.close();

  const count = (...types: LockEvent['type'][]) => log.types.filter((type) => types.includes(type)).length;
  expect(count('acquired', 'busy', 'timedOut', 'aborted', 'failed')).toBe(61);
  expect(count('aborted')).toBe(12);
  expect(count('timedOut')).toBe(12);
  expect(count('acquired')).toBe(count('released', 'ttlExpired', 'lost'));
  const tokens = log.ofType('acquired').map(({ fencingToken }) => fencingToken);
  const ended = (['released', 'ttlExpired', 'lost'] as const).flatMap((type) => log.ofType(type));
  expect(new Set(ended.map(({ fencingToken }) => fencingToken))).toEqual(new Set(tokens));
  expect(log.completed).toBe(true);
});
