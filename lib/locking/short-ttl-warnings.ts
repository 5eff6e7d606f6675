import { escapeControls } from './escape-controls.js';

/** A shorter ttl is probably meant in seconds, ms. */
const SHORT_TTL_MS = 100;
/** Limits memory and log lines, because the number of names is unlimited. */
const MAX_PLACES = 20;

/** Warns of a ttl that looks like seconds, once per `purpose`, or once per resource without one. */
export class ShortTtlWarnings {
  readonly #places = new Set<string>();

  constructor(private readonly warn: (message: string) => void) {}

  /** Checks the ttl of one call. */
  checkCall(resource: string, { ttl, purpose }: { readonly ttl: number; readonly purpose?: string }): void {
    if (isShort(ttl)) this.#warn(ttl, escapeControls(purpose ?? `lock '${resource}'`));
  }

  /** Checks the module's `defaults.ttl`. */
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
