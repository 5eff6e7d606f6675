import { writeFile } from 'node:fs/promises';

/** Numbers for each grant: its key, and when it was requested, acquired and about to be released, ns. */
export const FIELDS = 4;

/** The grants of a window, in a typed array that grows: nothing for the garbage collector. */
export class GrantLog {
  #numbers = new Float64Array(FIELDS * 1_024);
  #length = 0;

  add(key: number, requested: number, acquired: number, releasing: number): void {
    if (this.#length === this.#numbers.length) this.#grow();
    this.#numbers[this.#length] = key;
    this.#numbers[this.#length + 1] = requested;
    this.#numbers[this.#length + 2] = acquired;
    this.#numbers[this.#length + 3] = releasing;
    this.#length += FIELDS;
  }

  /** Writes the numbers as doubles in the byte order of the machine. */
  write(file: string): Promise<void> {
    return writeFile(file, this.#numbers.subarray(0, this.#length));
  }

  #grow(): void {
    const larger = new Float64Array(2 * this.#numbers.length);
    larger.set(this.#numbers);
    this.#numbers = larger;
  }
}
