import { createInterface } from 'node:readline';
import { SystemClock } from '../../locking/clock.js';
import { createRetryPolicy } from '../../locking/retry-policy.js';
import { NetworkClient } from '../client/network-client.js';
import type { KnownSession } from '../client/session-credentials.js';
import { backoffCap } from '../retry-pause.js';
import { GuardDuty } from './guard-duty.js';
import { decodeMessage, type GuardedProcess } from './guard-message.js';

// The program of a crash guard: a child process that closes the sessions of its parent when that has died.

const clock = new SystemClock();
const retry = createRetryPolicy({ maxRetryCount: 0, initialRetryWaitMs: 50 });

/**
 * POSIX: when all threads of a process have ended, its children get another parent, also while it is a zombie. Windows keeps
 * the number of the parent, so only a missing process is dead.
 */
function isDead(pid: number): boolean {
  if (process.platform !== 'win32') return process.ppid !== pid;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ESRCH';
  }
}

/** Connects with the id and the password of the session, to end it. That needs no other credentials. */
function closeSession(resume: KnownSession, { servers, tls }: GuardedProcess, limit: number): Promise<void> {
  const { sessionTimeout } = resume;
  const client = new NetworkClient({
    servers,
    tls,
    resume,
    sessionTimeout,
    connectTimeout: sessionTimeout,
    auth: [],
    clock,
    observer: {},
    reconnectDelay: (round) => retry.delay(round, backoffCap(sessionTimeout)),
  });
  client.connect();
  return client.close(limit);
}

const duty = new GuardDuty({ clock, isDead, closeSession });

// Signals that stop a service may reach all its processes at once, while the parent still finishes its work under locks.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// Not the channel of `fork`: what arrives on that before this line is lost if it has ended by then.
const lines = createInterface({ input: process.stdin });
process.stdin.once('error', () => lines.close());
lines.on('line', (line) => duty.receive(decodeMessage(line)));
lines.once('close', () => void duty.pipeEnded().finally(() => process.exit()));
