/** Work that is done once, however often it is asked for: also by code that it calls itself, before it has returned. */
export class Once {
  #done: Promise<void> | undefined;

  constructor(private readonly work: () => Promise<void>) {}

  /** The outcome of the work, which begins with the first call. */
  run(): Promise<void> {
    if (this.#done !== undefined) return this.#done;
    let end: (work: Promise<void>) => void = () => {};
    this.#done = new Promise((resolve) => (end = resolve));
    end(this.work());
    return this.#done;
  }
}
