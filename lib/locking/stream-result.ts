import { isObservable, type Observable } from 'rxjs';
import { LockConfigurationError } from './errors/lock-configuration.error.js';
import type { Holding } from './holding.interface.js';

export type Generator = AsyncGenerator<unknown, unknown, unknown>;

/** Refuses a stream as the result of work under `held`: it would continue after the release. @throws LockConfigurationError */
export function refuseStream(held: Pick<Holding, 'title'>, result: unknown): void {
  if (!isStream(result)) return;
  const stream = isGenerator(result) ? 'an async generator' : 'an Observable';
  throw new LockConfigurationError(
    `Work under lock ${held.title} returned ${stream}, which would run without the lock, because the ` +
      'lock is released after the work. Consume it inside the work, for example with lastValueFrom() or `for await`, or lock a method with @Locked',
  );
}

/** True for a result that continues after it was returned. */
export function isStream(result: unknown): result is Observable<unknown> | Generator {
  return isObservable(result) || isGenerator(result);
}

/** Only generators: other async iterables, such as Node streams, run independently of their consumer. */
export function isGenerator(value: unknown): value is Generator {
  return hasMethods(value, Symbol.asyncIterator, 'next', 'return', 'throw');
}

/** Ends a generator that nobody reads any more, so that nobody would be told of an error. */
export async function abandon(generator: Generator): Promise<void> {
  try {
    await generator.return(undefined);
  } catch {
    // As above.
  }
}

export function hasMethods(value: unknown, ...names: PropertyKey[]): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    names.every((name) => typeof Reflect.get(value, name) === 'function')
  );
}
