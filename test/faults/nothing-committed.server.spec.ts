import { describe, expect, it } from 'vitest';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { eventually } from '../support/eventually.js';
import type { FaultProxy } from '../support/fault-proxy.js';
import { startTestServer } from '../support/test-server.js';
import { ProxiedLocks } from './proxied-locks.js';

const SESSION_TIMEOUT_MS = 4_000;
const CONNECT_TIMEOUT_MS = 2_000;

describe('servers that accept connections, and commit nothing', () => {
  async function start(): Promise<ProxiedLocks> {
    const server = endedWithTest(await startTestServer());
    const options = { sessionTimeout: SESSION_TIMEOUT_MS, connectTimeout: CONNECT_TIMEOUT_MS };
    return endedWithTest(await ProxiedLocks.start(server, options));
  }

  it('are no connection: the service stays suspended until something is committed', async () => {
    const { proxy, locks } = await start();
    const states: string[] = [];
    locks.state$.subscribe((state) => states.push(state));
    const before = proxy.count('connect');
    const end = commitNothing(proxy);
    await proxy.waitFor('connect', { occurrence: before + 3, direction: 'reply' });
    expect(states).toEqual(['connected', 'suspended']);
    end();
    await eventually(() => states.at(-1) === 'connected');
    expect(states).toEqual(['connected', 'suspended', 'connected']);
  });

  it.each<[string, (setup: ProxiedLocks) => Promise<unknown>]>([
    ['an acquisition', ({ locks }) => locks.lock('a')],
    ['an inspection', ({ locks }) => locks.inspect('a')],
    ['a request for the release', ({ locks }) => locks.requestRelease('a')],
    ['a forced release', ({ locks }) => locks.forceRelease('a', { token: 1n })],
    ['a change of permits', ({ locks }) => locks.setPermits('a', 2)],
  ])('end %s after connectTimeout', async (_, call) => {
    const setup = await start();
    await setup.others.lock('a');
    commitNothing(setup.proxy);
    await eventually(() => setup.count('suspended') > 0);
    await expect(call(setup)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', resource: 'a' });
  });

  it('keep no work from returning, although nobody can tell whether the next caller has its turn', async () => {
    // They are noticed after a quarter of the session timeout, which is long here.
    await using setup = await ProxiedLocks.start(endedWithTest(await startTestServer()));
    const { proxy, locks } = setup;
    const held = await locks.lock('a');
    const heartbeat = proxy.once('multi', 'holdRequest');
    proxy.cutAll();
    await heartbeat.fired;
    const connections = proxy.count('connect');
    const next = locks.lock('a');
    await eventually(() => setup.count('waiting') === 1);

    // As `withLock` does when the work has ended.
    await held[Symbol.asyncDispose]();

    heartbeat.release();
    await (await next).release();
    expect(proxy.count('connect')).toBe(connections);
  });

  it('end a wait in the queue after connectTimeout', async () => {
    const setup = await start();
    await setup.others.lock('a');
    const waiting = setup.locks.lock('a');
    waiting.catch(() => {});
    await setup.hasContenders('a', 2);
    commitNothing(setup.proxy);
    await expect(waiting).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', resource: 'a' });
  });
});

/** Every connection swallows its first transaction, which is the first heartbeat, and all that comes after it. */
function commitNothing(proxy: FaultProxy): () => void {
  let hasEnded = false;
  let rule = proxy.once('multi', 'blackHoleBeforeForward');
  const again = (): void => {
    if (hasEnded) return;
    rule = proxy.once('multi', 'blackHoleBeforeForward');
    void rule.fired.then(again);
  };
  void rule.fired.then(again);
  return () => {
    hasEnded = true;
    rule.cancel();
  };
}
