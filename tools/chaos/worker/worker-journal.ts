import { Journal } from '../../history/journal.js';
import type { NewProcessEvent, ProcessEvent } from '../../history/process-event.js';

/** The journal of a process, which adds the timestamp and the actor. */
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

  /** Writes the result of `isHeld`, timestamped before the call: a hold that is valid later was valid at that time. */
  writeHeld(isHeld: () => boolean, event: (held: boolean) => NewProcessEvent): boolean {
    const at = process.hrtime.bigint();
    const held = isHeld();
    this.write(event(held), at);
    return held;
  }
}
