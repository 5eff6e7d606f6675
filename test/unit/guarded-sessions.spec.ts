import { expect, test } from 'vitest';
import { GuardedSessions } from '../../lib/zookeeper/guard/guarded-sessions.js';
import type { GuardMessage } from '../../lib/zookeeper/guard/guard-message.js';
import type { SessionObserver } from '../../lib/zookeeper/session-observer.interface.js';
import type { ServerSession } from '../../lib/zookeeper/session/server-session.js';
import { settled } from './fake-clock.js';

/** A guard that knows of a session, which the servers end when a test says so. */
function guarded() {
  const told: GuardMessage['kind'][] = [];
  const sessions = new GuardedSessions(({ kind }) => told.push(kind));
  let observer: SessionObserver = {};
  let endOnServers: () => void = () => {};
  const closed = new Promise<void>((resolve) => (endOnServers = resolve));
  const session = {
    id: 1n,
    client: { sessionPassword: Buffer.alloc(16) },
    observe: (given: SessionObserver) => (observer = given),
    closed: () => closed,
  } as unknown as ServerSession;
  sessions.watch(session);
  observer.connected?.({ sessionId: 1n, sessionTimeout: 4_000, server: 'zk1:2181', requestedAt: 0 });
  return { told, sessions, end: () => observer.ended?.('closed'), endOnServers: () => endOnServers() };
}

test('the guard hears of the end of a session only when the servers have ended it, not when its close begins', async () => {
  const { told, sessions, end, endOnServers } = guarded();
  end();
  await settled();
  expect([told, sessions.messages]).toMatchObject([['opened'], [{ kind: 'opened' }]]);
  endOnServers();
  await settled();
  expect([told, sessions.messages]).toEqual([['opened', 'ended'], []]);
});
