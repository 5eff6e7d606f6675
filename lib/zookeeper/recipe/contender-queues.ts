import { escapeControls } from '../../locking/escape-controls.js';
import { ContenderQueue } from './contender-queue.js';

/**
 * Parses lists of children into queues, each list once however many waiters share it. Warns, once, if a lock path has a
 * child that is not a lock node: Curator's clients would wait for it forever (H22).
 */
export class ContenderQueues {
  readonly #parsed = new WeakMap<readonly string[], ContenderQueue>();
  #hasWarned = false;

  constructor(private readonly warn: (message: string) => void) {}

  /** The queue that the `children` of `lockPath` form. */
  of(lockPath: string, children: readonly string[]): ContenderQueue {
    const parsed = this.#parsed.get(children);
    if (parsed !== undefined) return parsed;
    const queue = new ContenderQueue(children);
    this.#parsed.set(children, queue);
    this.#warnOf(queue.foreignChild, lockPath);
    return queue;
  }

  #warnOf(foreignChild: string | undefined, lockPath: string): void {
    if (foreignChild === undefined || this.#hasWarned) return;
    this.#hasWarned = true;
    this.warn(
      `${lockPath} contains '${escapeControls(foreignChild)}', which is not a lock node. It is ignored here, but clients ` +
        'of other libraries may wait for it indefinitely: keep all other nodes out of the lock root',
    );
  }
}
