import { LookupError } from './lookup-error.js';

/** All addresses of a name, IPv4 and IPv6. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/**
 * The addresses of names, with at most one lookup per name under way. The system's resolver has few threads, which it
 * shares with file access: lookups that pile up while it hangs would block the whole process. And because the next
 * lookup starts only after the one before has ended, a late answer never replaces a newer one.
 */
export class NameLookups {
  readonly #addresses = new Map<string, readonly string[]>();
  readonly #failures = new Map<string, unknown>();
  readonly #running = new Map<string, Promise<void>>();

  constructor(private readonly lookup: Lookup) {}

  /** What is known of a name; undefined until a lookup has succeeded. */
  addresses(name: string): readonly string[] | undefined {
    return this.#addresses.get(name);
  }

  /** The names whose last lookup failed, or has not answered yet; undefined if there are none. */
  get failure(): LookupError | undefined {
    const pending = [...this.#running.keys()].map((name) => [name, 'no answer yet'] as const);
    const failed = [...this.#failures].map(([name, error]) => [name, reasonOf(error)] as const);
    const reasons = new Map([...pending, ...failed]);
    const [cause] = this.#failures.values();
    return reasons.size === 0 ? undefined : new LookupError(reasons, { cause });
  }

  /** Resolves when the lookup has ended, or at once if an earlier one is still under way; never rejects. */
  start(name: string): Promise<void> {
    if (this.#running.has(name)) return Promise.resolve();
    const running = this.#resolve(name).finally(() => this.#running.delete(name));
    this.#running.set(name, running);
    return running;
  }

  /** Resolves when none of the lookups that are under way now is; never rejects. */
  async allEnded(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #resolve(name: string): Promise<void> {
    try {
      const found = await this.lookup(name);
      if (found.length === 0) throw new Error('it has no addresses');
      this.#addresses.set(name, found);
      this.#failures.delete(name);
    } catch (error) {
      this.#failures.set(name, error);
    }
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = Object(error) as { code?: unknown; message?: unknown };
  return String(code ?? message ?? error);
}
