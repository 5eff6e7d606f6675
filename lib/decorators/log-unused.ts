import { escapeControls } from '../locking/escape-controls.js';
import { stackOfError, textOfError } from '../locking/text-of-error.js';
import { safeLogger } from '../safe-logger.js';

/**
 * Logs why a locked method of unknown return type did not run, if nobody has used its result. A rejection would end the
 * process (H46), although the result may be an Observable or a generator whose turn comes later.
 */
export function logUnused(method: string, error: unknown): void {
  safeLogger('LockModule').error(
    `${escapeControls(method)} did not run, and nobody has used its result so far. The type of its result is unknown, so that ` +
      'each call acquires the lock at once: annotate an Observable, and make any other method async. The error was ' +
      textOfError(error),
    stackOfError(error),
  );
}
