interface Place {
  run?: () => void;
}

/**
 * Answers the requests of a connection in the order of their arrival: what follows a change waits until that has been
 * applied, as in the `CommitProcessor` of a real server.
 */
export class RequestOrder {
  readonly #places: Place[] = [];
  #running = false;

  /** Runs `task` when everything before it has run. */
  push(task: () => void): void {
    this.reserve()(task);
  }

  /** Keeps a place for a task that is given to the returned function later. */
  reserve(): (task: () => void) => void {
    const place: Place = {};
    this.#places.push(place);
    return (task) => {
      place.run = task;
      this.#run();
    };
  }

  /** Drops everything that has not run. */
  close(): void {
    this.#places.length = 0;
  }

  #run(): void {
    if (this.#running) return;
    this.#running = true;
    try {
      for (let run = this.#places[0]?.run; run; run = this.#places[0]?.run) {
        this.#places.shift();
        run();
      }
    } finally {
      this.#running = false;
    }
  }
}
