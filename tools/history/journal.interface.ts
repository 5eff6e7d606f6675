import type { NewProcessEvent } from './process-event.js';

/** Records the events of one process, with their times. */
export interface Journal {
  write(event: NewProcessEvent): void;
  /**
   * Writes the result of `isHeld`, with a time before the call: a hold that is valid later was valid at that time.
   *
   * @returns that result
   */
  writeHeld(isHeld: () => boolean, event: (held: boolean) => NewProcessEvent): boolean;
}
