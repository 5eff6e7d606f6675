import { LockError } from './lock.error.js';

/**
 * An option, a resource name or a use of this library is wrong. The message shows the bad value, its type and what is
 * accepted. HTTP status 500.
 *
 * @publicApi
 */
export class LockConfigurationError extends LockError {
  override readonly name = 'LockConfigurationError';
  override readonly code = 'LOCK_CONFIGURATION';
  // Private for the same reason as `resource`: the sentences print names and values.
  readonly #problems: readonly string[];

  constructor(problems: string | readonly string[], options?: { cause?: unknown }) {
    const list = typeof problems === 'string' ? [problems] : problems;
    super(
      list.length === 1 ? list[0]! : `${list.length} problems:\n${list.map((p) => `- ${p}`).join('\n')}`,
      undefined,
      options,
    );
    this.#problems = list;
  }

  /** One sentence per problem. */
  get problems(): readonly string[] {
    return this.#problems;
  }
}
