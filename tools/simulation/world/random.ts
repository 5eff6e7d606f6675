type State = [number, number, number, number];

const WORD = 2 ** 32;
/** Draws that sfc32 needs until close seeds have given unlike streams. */
const WARM_UP = 16;
/** Between the parts of the seed of a fork. No name contains it, so that no two paths of names give one seed. */
const SEPARATOR = '\0';

/** cyrb128: 128 bits of a text, of which every bit depends on all of it. */
function hash(text: string): State {
  let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    a = b ^ Math.imul(a ^ unit, 597399067);
    b = c ^ Math.imul(b ^ unit, 2869860233);
    c = d ^ Math.imul(c ^ unit, 951274213);
    d = a ^ Math.imul(d ^ unit, 2716044179);
  }
  a = Math.imul(c ^ (a >>> 18), 597399067);
  b = Math.imul(d ^ (b >>> 22), 2869860233);
  c = Math.imul(a ^ (c >>> 17), 951274213);
  d = Math.imul(b ^ (d >>> 19), 2716044179);
  return [a ^ b ^ c ^ d, b ^ a, c ^ a, d ^ a];
}

/** A stream of pseudorandom numbers (sfc32) that its seed determines, on every version of Node. */
export class Random {
  readonly #state: State;

  constructor(private readonly seed: string) {
    this.#state = hash(seed);
    for (let draw = 0; draw < WARM_UP; draw++) this.#word();
  }

  /**
   * A stream of its own, determined by the seed of this one and the name. It consumes nothing of this stream: who draws
   * from one stream does not shift the others. The same name gives the same stream again.
   */
  fork(name: string): Random {
    return new Random(this.seed + SEPARATOR + name);
  }

  /** In [0, 1). */
  fraction(): number {
    return this.#word() / WORD;
  }

  /** Both limits are included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  /** In [min, max). */
  between(min: number, max: number): number {
    return min + this.fraction() * (max - min);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('There is nothing to pick from');
    return items[this.integer(0, items.length - 1)] as T;
  }

  bytes(length: number): Buffer {
    const bytes = Buffer.alloc(length);
    for (let index = 0; index < length; index++) bytes[index] = this.#word() & 0xff;
    return bytes;
  }

  /** Version 4, lower case, with dashes. */
  uuid(): string {
    const bytes = this.bytes(16);
    bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
    const hex = bytes.toString('hex');
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  }

  #word(): number {
    const state = this.#state;
    const [a, b, c, counter] = state;
    const word = (a + b + counter) | 0;
    state[0] = b ^ (b >>> 9);
    state[1] = (c + (c << 3)) | 0;
    state[2] = (((c << 21) | (c >>> 11)) + word) | 0;
    state[3] = (counter + 1) | 0;
    return word >>> 0;
  }
}
