import type { Abort } from '../../locking/abort.js';
import { abortable } from '../../locking/abortable.js';
import type { ServerSession } from '../session/server-session.js';
import { QueuePositionLostError } from './session-requests.js';

/**
 * Resolves when the server has acknowledged a session that was past its deadline, and so may have expired.
 *
 * @throws QueuePositionLostError if it has ended
 */
export async function untilAlive(session: ServerSession, abort: Abort): Promise<void> {
  if (session.state === 'ended') throw new QueuePositionLostError();
  return abortable(abort, (resolve, reject) =>
    session.observe({ renewed: () => resolve(), ended: () => reject(new QueuePositionLostError()) }),
  );
}
