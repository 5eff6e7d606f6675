import { escapeControls } from '../../locking/escape-controls.js';

/** Warns, once, of children of a lock path that are no contenders: Curator's clients would wait for them for ever (H22). */
export class ForeignChildren {
  #warned = false;

  constructor(private readonly warn: (message: string) => void) {}

  /** @param name a child of `lockPath` that is not a contender, if there is one */
  look(lockPath: string, name: string | undefined): void {
    if (this.#warned || name === undefined) return;
    this.#warned = true;
    this.warn(
      `${lockPath} has a child '${escapeControls(name)}' that is no contender for a lock. It is ignored here, but clients of other ` +
        'libraries may wait for it for ever: keep everything else out of the lock root',
    );
  }
}
