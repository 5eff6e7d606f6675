const CONTAINER = -(2n ** 63n);
const TTL_MARK = 0xffn << 56n;
/** Tolerance for times that two processes read and round to milliseconds. */
const CLOCK_SLACK_MS = 1_000;

/**
 * Replaces values that differ between runs by constant names: session ids and passwords by their order of appearance,
 * transactions by their distance from a baseline, times by whether they are of this run.
 */
export class Names {
  readonly #sessions: bigint[] = [];
  readonly #passwords: string[] = [];
  readonly #startedAt = Date.now() - CLOCK_SLACK_MS;
  #baseline = 0n;

  /** The root of all nodes of a scenario, which calls it `~`. */
  constructor(readonly root: string) {}

  /** Sets the baseline of transactions. */
  countFrom(zxid: bigint): void {
    this.#baseline = zxid;
  }

  full(path: string): string {
    return path.startsWith('~') ? this.root + path.slice(1) : path;
  }

  path(path: string): string {
    const inside = path === this.root || path.startsWith(`${this.root}/`);
    return inside ? `~${path.slice(this.root.length)}` : path;
  }

  /** Only positive numbers are transactions. */
  zxid(zxid: bigint): string {
    if (zxid <= 0n) return String(zxid);
    const distance = zxid - this.#baseline;
    return distance < 0n ? String(distance) : `+${distance}`;
  }

  session(id: bigint): string {
    return id === 0n ? '0' : `session${nameOf(this.#sessions, id)}`;
  }

  owner(owner: bigint): string {
    if (owner === CONTAINER) return 'container';
    const bits = BigInt.asUintN(64, owner);
    return (bits & TTL_MARK) === TTL_MARK ? `ttl(${bits ^ TTL_MARK})` : this.session(owner);
  }

  password(bytes: Buffer | null): string {
    if (bytes === null) return 'null';
    if (bytes.every((byte) => byte === 0)) return `${bytes.length} zeros`;
    return `password${nameOf(this.#passwords, bytes.toString('hex'))}`;
  }

  time(ms: bigint): string {
    const ofThisRun = ms >= this.#startedAt && ms <= Date.now() + CLOCK_SLACK_MS;
    return ofThisRun ? 'now' : String(ms);
  }

  /** Replaces the root, the sessions and the transactions in a text from the server. */
  text(text: string): string {
    return text
      .replaceAll(this.root, '~')
      .replace(
        /(zxid[:=] ?)(0x[0-9a-f]+)/gi,
        (_, label: string, hex: string) => label + this.zxid(signed(hex)),
      )
      .replace(/(?<![\w/])0x[0-9a-f]{15,16}\b/g, (hex) => this.#known(signed(hex)));
  }

  #known(id: bigint): string {
    return this.#sessions.includes(id) ? this.session(id) : 'an unknown session';
  }
}

function signed(hexadecimal: string): bigint {
  return BigInt.asIntN(64, BigInt(hexadecimal));
}

/** The number of a value, from 1, in the order of first appearance. */
function nameOf<T>(known: T[], item: T): number {
  if (!known.includes(item)) known.push(item);
  return known.indexOf(item) + 1;
}
