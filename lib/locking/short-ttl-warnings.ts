import { escapeControls } from './escape-controls.js';

/** A shorter ttl is more often a number of seconds than meant, ms. */
const SHORT_TTL_MS = 100;
/** Names can be without number, and what has been said this often has been heard. */
const MAX_PLACES = 20;

/** Warns of a ttl that looks like seconds: once per place, which is what the lock is for, or else its name. */
export class ShortTtlWarnings {
  readonly #places = new Set<string>();

  constructor(private readonly warn: (message: string) => void) {}

  /** Looks at the ttl of one call. */
  checkCall(resource: string, { ttl, purpose }: { readonly ttl: number; readonly purpose?: string }): void {
    if (isShort(ttl)) this.#warn(ttl, escapeControls(purpose ?? `lock '${resource}'`));
  }

  /** Looks at the module's `defaults.ttl`. */
  checkModule(ttl: number): void {
    if (isShort(ttl)) this.#warn(ttl, 'the module (`defaults.ttl`)');
  }

  #warn(ttl: number, place: string): void {
    if (this.#places.has(place) || this.#places.size === MAX_PLACES) return;
    this.#places.add(place);
    this.warn(
      `The ttl of ${place} is ${ttl} ms, which looks like seconds: durations are in milliseconds. ` +
        `For ${ttl} s, write \`ttl: ${ttl}_000\``,
    );
  }
}

function isShort(ttl: number): boolean {
  return ttl > 0 && ttl < SHORT_TTL_MS;
}
