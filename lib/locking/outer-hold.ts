import { innermost } from './current-lock.js';
import { LockDeadlockError } from './errors/lock-deadlock.error.js';
import { escapeControls } from './escape-controls.js';
import { Hold } from './hold.js';
import { excludesAll, includes } from './lock-modes.js';
import type { ResolvedLockOptions } from './lock-options.js';
import type { Grant } from './lock-provider.interface.js';

/** Of a call for a lock, the hold of the same lock that its code has already. */
export class OuterHold {
  private constructor(
    private readonly held: Hold,
    private readonly options: ResolvedLockOptions,
  ) {}

  /**
   * Undefined if the calling code does not hold the lock. A nested hold that has ended, or allows less, does not hide the outer
   * one, under which its code may go on.
   *
   * @param service the same for all acquisitions and holds of one service
   */
  static find(resource: string, options: ResolvedLockOptions, service: symbol): OuterHold | undefined {
    const isOurs = (held: unknown): held is Hold =>
      held instanceof Hold && held.service === service && held.resource === resource && held.isHeld();
    const mayNest = (held: unknown): held is Hold => isOurs(held) && mayNestIn(held, options);
    const held = innermost(isOurs);
    return held && new OuterHold(innermost(mayNest) ?? held, options);
  }

  /** The call can have the lock at once, because the code with the hold may do all that is asked for. */
  get mayShare(): boolean {
    return this.held.isHeld() && mayNestIn(this.held, this.options);
  }

  share(): Grant | undefined {
    return this.mayShare ? this.held.share() : undefined;
  }

  /**
   * Refuses to upgrade from a mode that others share and to downgrade to it, and a `reentrant` call that is to fail closed in a
   * hold that does not. Without a wait, it is only busy. For other calls without `reentrant`, the warning below has to do.
   */
  refusal(): LockDeadlockError | undefined {
    const { held } = this;
    const { mode: wanted, failure: wantedFailure, wait, reentrant } = this.options;
    // Read once, because the ttl may pass between two reads. If the hold has ended, this is an ordinary wait.
    if (wait === 0 || !held.isHeld() || mayNestIn(held, this.options)) return undefined;
    const isAlike = held.mode === wanted || (excludesAll(held.mode) && excludesAll(wanted));
    if (isAlike && !reentrant) return undefined;
    return new LockDeadlockError(held.resource, { held, wanted, wantedFailure });
  }

  /** Of a call that waits: without `reentrant`, code that waits for a lock that it holds already usually waits forever. */
  warning(): string | undefined {
    const { resource, purpose } = this.held;
    if (!this.held.isHeld()) return undefined;
    const waiter = escapeControls(this.options.purpose ?? 'a call');
    const holder = purpose === undefined ? '' : ` ${escapeControls(purpose)}`;
    return (
      `Possible self-deadlock: ${waiter} is waiting for lock '${escapeControls(resource)}', which its caller${holder} already ` +
      'holds. Set `reentrant: true`, release the lock first, or do the inner work without locking again'
    );
  }
}

function mayNestIn(held: Hold, { reentrant, mode, failure }: ResolvedLockOptions): boolean {
  return reentrant && includes(held.mode, mode) && (failure === 'open' || held.failure === 'closed');
}
