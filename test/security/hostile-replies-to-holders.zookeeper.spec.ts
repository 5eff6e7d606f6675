import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HeldLock } from '../../lib/index.js';
import { ProxiedLocks } from '../faults/proxied-locks.js';
import { eventually } from '../support/eventually.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { OF_HEADERS, OF_LENGTHS } from './malformations/any-reply.js';
import { OF_DATA } from './malformations/queue-replies.js';
import type { Malformation } from './malformations/malformation.js';
import { OF_HANDSHAKES, OF_TRANSACTIONS } from './malformations/session-replies.js';

let server: TestServer;
let resources = 0;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.giveBack());

/** Makes a holder send a request. It reads its node some time after the grant, and on every new connection. */
type Provoke = (setup: ProxiedLocks, held: HeldLock) => unknown;
const reconnect: Provoke = ({ proxy }) => proxy.cutAll();
const release: Provoke = (_, held) => held.release();

// The operations run concurrently, each with its own proxy and sessions; the replies of each run in sequence.
describe.concurrent.each<[operation: string, malformations: readonly Malformation[], provoke: Provoke]>([
  ['multi', [...OF_LENGTHS, ...OF_HEADERS, ...OF_TRANSACTIONS], reconnect],
  ['connect', [...OF_LENGTHS, ...OF_HANDSHAKES], reconnect],
  ['getData', [...OF_LENGTHS, ...OF_HEADERS, ...OF_DATA], reconnect],
  ['delete', [...OF_LENGTHS, ...OF_HEADERS], release],
])('a holder whose reply to %s has', (operation, malformations, provoke) => {
  let setup: ProxiedLocks;
  beforeAll(async () => {
    setup = await ProxiedLocks.start(server, { sessionTimeout: 6_000, retryDelay: 5 });
  });
  afterAll(() => setup[Symbol.asyncDispose]());

  it.sequential.each(malformations)('$what never shares its lock, and recovers', async ({ change }) => {
    const { locks, others, proxy } = setup;
    const resource = `${operation}:${(resources += 1)}`;
    const held = await eventually(() => locks.lock(resource));
    const [holder] = await setup.contenders(resource);
    const next = others.lock(resource).then((taken) => ({ taken, wrong: held.isHeld() }));
    await eventually(async () => expect(await setup.contenders(resource)).toHaveLength(2));

    const fault = proxy.rewriteReply(operation, (frame) => change(frame, holder!));
    provoke(setup, held);
    await fault.fired;
    await eventually(() => locks.withLock('afterwards', () => true));
    // An earlier reply must not prevent a later connection.
    proxy.cutAll();
    await eventually(() => locks.withLock('afterwards', () => true));
    await held.release();

    const { taken, wrong } = await next;
    expect(wrong).toBe(false);
    expect(taken.fencingToken).toBeGreaterThan(held.fencingToken);
    await taken.release();
    await eventually(async () => expect(await setup.contenders(resource)).toEqual([]));
  });
});
