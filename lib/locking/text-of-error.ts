import { describeValue } from './describe-value.js';
import { escapeControls } from './escape-controls.js';
import { isError } from './is-error.js';

/**
 * What code of the application has thrown, as text for a line of the log. Never throws: it may be any value, such as an object
 * without `toString`.
 */
export function textOfError(error: unknown): string {
  try {
    if (isError(error) || typeof error === 'string') return escapeControls(String(error));
  } catch {
    // Its class has overridden what it is made of.
  }
  return describeValue(error);
}

/** Its stack, for loggers that take one. */
export function stackOfError(error: unknown): string | undefined {
  try {
    return isError(error) && typeof error.stack === 'string' ? error.stack : undefined;
  } catch {
    return undefined;
  }
}
