import { Journal } from '../history/journal.js';
import type { NewProcessEvent, ProcessEvent } from '../history/process-event.js';

/** What a process sees, with its stamp and its name. */
export class WorkerJournal {
  readonly #journal: Journal<ProcessEvent>;

  constructor(
    path: string,
    private readonly actor: string,
  ) {
    this.#journal = new Journal(path);
  }

  write(event: NewProcessEvent, at = process.hrtime.bigint()): void {
    this.#journal.write({ at, actor: this.actor, ...event });
  }

  /** Writes what `isHeld` says; the stamp is taken before: a hold that is valid after it was valid at it. */
  writeHeld(isHeld: () => boolean, event: (held: boolean) => NewProcessEvent): boolean {
    const at = process.hrtime.bigint();
    const held = isHeld();
    this.write(event(held), at);
    return held;
  }
}
