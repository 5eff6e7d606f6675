/** All addresses of a name, IPv4 and IPv6. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/**
 * The addresses of names, with at most one lookup per name under way. The system's resolver has few threads, which it
 * shares with file access: lookups that pile up while it hangs would block the whole process. And because the next
 * lookup starts only after the one before has ended, a late answer never replaces a newer one.
 */
export class NameLookups {
  readonly #addresses = new Map<string, readonly string[]>();
  readonly #failures = new Map<string, Error>();
  readonly #running = new Map<string, Promise<void>>();

  constructor(private readonly lookup: Lookup) {}

  /** What is known of a name; undefined until a lookup has succeeded. */
  addresses(name: string): readonly string[] | undefined {
    return this.#addresses.get(name);
  }

  /** Why the last lookup of some name failed; or which lookup has not answered yet. */
  get failure(): Error | undefined {
    const [failure] = this.#failures.values();
    const [name] = this.#running.keys();
    return failure ?? (name === undefined ? undefined : new Error(`Looking up ${name} has not ended yet`));
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
      this.#addresses.set(name, await this.lookup(name));
      this.#failures.delete(name);
    } catch (error) {
      const reason =
        error instanceof Error ? error : new Error(`Looking up ${name} failed: ${String(error)}`);
      this.#failures.set(name, reason);
    }
  }
}
