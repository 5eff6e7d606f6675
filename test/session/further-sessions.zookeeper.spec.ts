import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createLockService, type HeldLock, type LockEvent, type LockService } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { RawSession } from '../support/raw-session.js';
import { serverResources } from '../support/server-resources.js';
import { sessionPassword } from '../support/session-password.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const LOCKS = 48;
const BUDGET_BYTES = 4_096;
/** About fifteen of them fill a session. */
const LONG = 'x'.repeat(180);

describe('more locks than fit into one session (H61)', () => {
  let server: TestServer;
  let locks: LockService;
  let events: LockEvent[];
  let held: HeldLock[];

  beforeEach(async () => {
    server = await startTestServer();
    locks = await createLockService({
      connectString: server.connectString,
      maxSessionPathBytes: BUDGET_BYTES,
      sessionTimeout: 12_000,
      drainTimeout: 0,
    });
    events = [];
    locks.events$.subscribe((event) => events.push(event));
    const names = Array.from({ length: LOCKS }, (_, i) => `order:${i}:${LONG}`);
    held = await Promise.all(names.map((name) => locks.lock(name)));
  });

  afterEach(async () => {
    await locks.close();
    await server.giveBack();
  });

  it('are spread over further sessions, none of which exceeds its budget', async () => {
    const sessions = [...(await contendersBySession()).values()];

    expect(sessions.flat()).toHaveLength(LOCKS);
    expect(sessions.length).toBeGreaterThan(2);
    for (const paths of sessions) expect(paths.join('').length).toBeLessThanOrEqual(BUDGET_BYTES);
  });

  for (const which of ['first', 'last'] as const) {
    it(`are lost with the ${which} session that carries them, and no others are`, async () => {
      const sessions = await contendersBySession();
      // Session ids grow; the first session also reports the connection.
      const ids = [...sessions.keys()].toSorted((a, b) => (a < b ? -1 : 1));
      const id = which === 'first' ? ids[0]! : ids.at(-1)!;
      const carried = new Set(sessions.get(id)!.map((path) => path.split('/')[2]!));

      await expire(id);
      await eventually(() => lost().length >= carried.size);
      // Granted after all earlier notifications of the server.
      const again = await Promise.all([...carried].map((name) => locks.lock(name)));

      expect(lost().toSorted()).toEqual([...carried].toSorted());
      const ended = held.filter((hold) => !hold.isHeld());
      expect(new Set(ended.map(({ resource }) => resource))).toEqual(carried);
      for (const hold of [...again, ...held]) {
        const kept = hold.isHeld();
        expect(await hold.release()).toBe(kept);
      }
    });
  }

  it('need only one session after they are released', async () => {
    await Promise.all(held.map((hold) => hold.release()));

    // The second connection is that of the four-letter word.
    await eventually(async () => expect(await serverResources(server)).toMatchObject({ connections: 2 }));
    expect(locks.state).toBe('connected');
  });

  function lost(): string[] {
    return events.flatMap((event) => (event.type === 'lost' ? [event.resource] : []));
  }

  /** Retries if the service resumes its session before the duplicate has ended it. */
  async function expire(id: bigint): Promise<void> {
    await eventually(async () => {
      await RawSession.expire(server, { id, password: sessionPassword(id) }).catch(() => {});
      return !(await contendersBySession()).has(id);
    });
  }

  /** From the server's own list of sessions and their ephemeral nodes. */
  async function contendersBySession(): Promise<Map<bigint, string[]>> {
    const dump = await server.fourLetter('dump');
    const [, ephemerals = ''] = dump.split(/Sessions with Ephemerals.*\n/);
    const sessions = new Map<bigint, string[]>();
    for (const [, id, paths] of ephemerals.matchAll(/^(0x[0-9a-f]+):\n((?:\t.*\n?)*)/gm))
      sessions.set(BigInt(id!), paths!.trim().split(/\s+/));
    return sessions;
  }
});
