import { JournalFile } from '../../history/journal-file.js';
import type { Journal } from '../../history/journal.interface.js';
import type { NewProcessEvent, ProcessEvent } from '../../history/process-event.js';

/** The journal of a process, in a file. */
export class WorkerJournal implements Journal {
  readonly #file: JournalFile<ProcessEvent>;

  /** @param failed called when an attempt has ended that was never granted a lock */
  constructor(
    path: string,
    private readonly actor: string,
    private readonly failed: (attempt: string) => void,
  ) {
    this.#file = new JournalFile(path);
  }

  write(event: NewProcessEvent, at = process.hrtime.bigint()): void {
    this.#file.write({ at, actor: this.actor, ...event });
    if (event.what === 'ended') this.failed(event.attempt);
  }

  writeHeld(isHeld: () => boolean, event: (held: boolean) => NewProcessEvent): boolean {
    const at = process.hrtime.bigint();
    const held = isHeld();
    this.write(event(held), at);
    return held;
  }
}
