/** Passes things on in order, at once or as soon as nobody holds them back any more. */
export class Lane<T> {
  readonly #waiting: T[] = [];
  #holds = 0;

  constructor(private readonly pass: (item: T) => void) {}

  push(item: T): void {
    if (this.#holds > 0 || this.#waiting.length > 0) this.#waiting.push(item);
    else this.pass(item);
  }

  /** Nothing passes until the function it returns is called; several holds add up. */
  hold(): () => void {
    this.#holds += 1;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds -= 1;
      this.#drain();
    };
  }

  #drain(): void {
    while (this.#holds === 0 && this.#waiting.length > 0) this.pass(this.#waiting.shift()!);
  }
}
