import { LockConfigurationError } from '../../locking/errors/lock-configuration.error.js';
import { escapeControls } from '../../locking/escape-controls.js';

/** The error of a request for the release of a lock that has no queue. */
export function cannotBeAsked(resource: string): LockConfigurationError {
  return new LockConfigurationError(
    `the holder of lock '${escapeControls(resource)}' cannot be asked to release it, because it uses \`fair: false\`: its ` +
      'node has the same path as that of the next holder',
  );
}
