import type { Abort } from '../../locking/abort.js';
import { abortable } from '../../locking/abortable.js';
import type { ServerSession } from '../session/server-session.js';
import type { SessionRequests } from './session-requests.js';

/**
 * Resolves when the server has acknowledged a session that was past its deadline, and so may have expired. Throws as
 * `SessionRequests.recover` does.
 */
export async function untilAlive(
  requests: Pick<SessionRequests, 'session' | 'reconnected'>,
  abort: Abort,
): Promise<void> {
  const { session } = requests;
  do await requests.reconnected();
  while (!session.alive && !(await renewed(session, abort)));
}

/** False if contact is lost before that. */
async function renewed(session: ServerSession, abort: Abort): Promise<boolean> {
  if (session.state !== 'connected') return false;
  return abortable(abort, (resolve) => {
    const lost = (): void => resolve(false);
    return session.observe({ renewed: () => resolve(true), disconnected: lost, ended: lost });
  });
}
