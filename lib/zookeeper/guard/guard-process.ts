import { createInterface } from 'node:readline';
import { SystemClock } from '../../locking/clock.js';
import { closeSession } from './close-session.js';
import { GuardDuty } from './guard-duty.js';
import { decodeMessage } from './guard-message.js';

// The program of a crash guard: a child process that closes the sessions of its parent when that has died.

const clock = new SystemClock();

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

const duty = new GuardDuty({
  clock,
  isDead,
  closeSession: (session, { servers, auth, tls }, limit) =>
    closeSession(session, limit, { servers, auth, tls, clock }),
});

// Signals that stop a service may reach all its processes at once, while the parent still finishes its work under locks.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
// Not the channel of `fork`: what arrives on that before this line is lost if it has ended by then.
const lines = createInterface({ input: process.stdin });
process.stdin.once('error', () => lines.close());
lines.on('line', (line) => duty.receive(decodeMessage(line)));
lines.once('close', () => void duty.pipeEnded().finally(() => process.exit()));
