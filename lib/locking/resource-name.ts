import { describeValue } from './describe-value.js';
import { LockConfigurationError } from './errors/lock-configuration.error.js';

const MAX_BYTES = 1_024;
/** Of UTF-16 in UTF-8. */
const MOST_BYTES_PER_CODE_UNIT = 3;

/**
 * Checks that `resource` is a non-empty, well-formed string of at most 1,024 bytes in UTF-8. There are no other rules:
 * `order:42` and `a/b c` are valid.
 *
 * @throws LockConfigurationError
 */
export function assertResourceName(resource: unknown): asserts resource is string {
  if (typeof resource !== 'string' || resource === '') {
    throw refusal('a non-empty string', resource);
  }
  // A lone surrogate has no UTF-8 form: different names would be encoded as the same replacement character.
  if (/\p{Surrogate}/u.test(resource)) {
    throw refusal('well-formed Unicode, without lone surrogates', resource);
  }
  if (resource.length * MOST_BYTES_PER_CODE_UNIT <= MAX_BYTES) return;
  const bytes = Buffer.byteLength(resource);
  if (bytes > MAX_BYTES) {
    throw refusal(`at most ${MAX_BYTES} bytes of UTF-8, this one has ${bytes}`, resource);
  }
}

function refusal(accepted: string, resource: unknown): LockConfigurationError {
  return new LockConfigurationError(`A resource name must be ${accepted}: got ${describeValue(resource)}`);
}
