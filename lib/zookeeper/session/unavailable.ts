import { LockUnavailableError } from '../../locking/errors/lock-unavailable.error.js';
import type { StoreTrouble } from '../../locking/lock-provider.interface.js';

export type SessionPoolState = 'idle' | 'open' | 'refused' | 'closed';

/** The error of a call that needs a session when there is none, with what to do about it. */
export function unavailable(
  resource: string | undefined,
  {
    state,
    connectTimeout,
    trouble,
  }: {
    readonly state: SessionPoolState;
    readonly connectTimeout: number;
    readonly trouble: StoreTrouble | undefined;
  },
): LockUnavailableError {
  switch (state) {
    case 'closed':
      return new LockUnavailableError(resource, 'the connection to ZooKeeper has been closed', {
        hint:
          resource === undefined
            ? 'The application was closed while it started'
            : 'Do not lock after the shutdown of the application',
      });
    case 'refused':
      return new LockUnavailableError(resource, 'ZooKeeper refused the credentials', {
        hint: 'Check the `auth` option',
      });
    default: {
      const detail = trouble === undefined ? '' : ` (${trouble.what})`;
      const reason = `there was no connection to ZooKeeper for ${connectTimeout} ms${detail}`;
      return new LockUnavailableError(resource, reason, { cause: trouble?.cause, hint: trouble?.hint });
    }
  }
}
