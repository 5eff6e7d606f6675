import { describeValue } from '../locking/describe-value.js';
import { isAsyncOrGenerator } from '../locking/forgotten-promise.js';
import { LOCK_DEFAULT_OPTIONS } from '../locking/lock-options.js';
import { milliseconds } from '../locking/option-checks.js';
import { gotInstead, isOptionsObject } from '../locking/options-object.js';
import { validateOptions } from '../locking/option-table.js';

export function* checkDefaults(name: string, value: unknown): Generator<string> {
  if (isOptionsObject(value)) yield* validateOptions('default', LOCK_DEFAULT_OPTIONS, value, `${name}.`);
  else yield `\`${name}\` must be an object such as { wait: 5000, ttl: 60000 }: ${gotInstead(value)}`;
}

export function* checkRetryDelay(name: string, value: unknown): Generator<string> {
  if (typeof value !== 'function') yield* milliseconds().check(name, value);
  else if (isAsyncOrGenerator(value))
    yield `\`${name}\` must return a delay in ms synchronously: got ${describeValue(value)}, which is async or a generator`;
}

export function* checkMaxAttempts(name: string, value: unknown): Generator<string> {
  if (value === 1 || value === null) return;
  yield (
    `\`${name}\` must be 1 (one attempt, as \`wait: 0\`) or null (no limit): got ${describeValue(value)}. ` +
    'A queue needs no repeated attempts: say how long to `wait` instead'
  );
}
