import type { LockLostError } from '../errors/lock-lost.error.js';
import type { Clock } from '../clock.js';
import { LockConfigurationError } from '../errors/lock-configuration.error.js';
import { escapeControls } from '../escape-controls.js';
import type { HeldLocks } from '../held-lock.interface.js';
import type { Hold } from '../hold.js';
import type { Holding } from '../holding.interface.js';
import { LazyAbort } from '../lazy-abort.js';
import { runWithLock } from '../current-lock.js';
import type { LockMode } from '../lock-provider.interface.js';
import { assertTtl } from '../lock-options.js';
import { assertResourceName } from '../resource-name.js';
import { shortList } from '../short-list.js';

/** Several locks that are held together: when one is lost, all are. Users see only `HeldLocks`. */
export class HoldGroup implements HeldLocks, Holding {
  readonly owner: string;
  readonly purpose: string | undefined;
  readonly mode: LockMode;
  readonly acquiredAt: Date;
  readonly #lost = new LazyAbort<LockLostError>();
  readonly #clock: Clock;

  constructor(
    readonly members: readonly Hold[],
    clock: Clock,
  ) {
    this.acquiredAt = new Date(clock.wall());
    this.#clock = clock;
    const { owner, purpose, mode } = members[0]!;
    this.owner = owner;
    this.purpose = purpose;
    this.mode = mode;
    for (const member of members) member.onLost((loss) => this.#lose(loss));
  }

  member(resource: string): Hold {
    assertResourceName(resource);
    const member = this.members.find((candidate) => candidate.resource === resource);
    if (member !== undefined) return member;
    throw new LockConfigurationError(
      `The lock '${escapeControls(resource)}' is not one of those that are held together: ${this.title}`,
    );
  }

  get title(): string {
    return shortList(this.members.map(({ title }) => title));
  }

  get signal(): AbortSignal {
    return this.#lost.signal;
  }

  get loss(): LockLostError | undefined {
    return this.#lost.reason;
  }

  isHeld(): boolean {
    return this.members.every((member) => member.isHeld());
  }

  assertHeld(): void {
    this.throwIfLost();
    for (const member of this.members) member.assertHeld();
  }

  extend(ttl: number): void {
    assertTtl(ttl);
    for (const member of this.members) member.assertExtendable(ttl);
    // The same moment for all: at the end of the ttl, none may be lost with another one.
    const now = this.#clock.monotonic();
    for (const member of this.members) member.extendFrom(now, ttl);
  }

  throwIfLost(): void {
    for (const member of this.members) member.settle();
    if (this.loss !== undefined) throw this.loss;
  }

  onLost(callback: (loss: LockLostError) => void): () => void {
    return this.#lost.onAbort(callback);
  }

  loseUnlessUsed(ms: number): () => void {
    const used = this.members.map((member) => member.loseUnlessUsed(ms));
    return () => used.forEach((tell) => tell());
  }

  run<T>(code: () => T): T {
    return this.members.reduceRight((work, member) => () => runWithLock(member, work), code)();
  }

  async release(): Promise<boolean> {
    const kept = await Promise.all(this.#reversed.map((member) => member.release()));
    return kept.every(Boolean);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.finish().catch(() => {});
  }

  end(): void {
    for (const member of this.#reversed) member.end();
  }

  async finish(): Promise<void> {
    const ending = Promise.allSettled(this.#reversed.map((member) => member.finish()));
    // All have ended, and the ttl may have passed between two of them. Nobody waits for the release of lost locks.
    if (this.loss !== undefined) throw this.loss;
    const failed = (await ending).find((end) => end.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** One event is enough: that of the lock whose loss has ended the hold. */
  reportRejection(error: unknown): void {
    const lost = this.members.find(({ loss }) => loss === this.loss);
    lost?.reportRejection(error);
  }

  get #reversed(): readonly Hold[] {
    return this.members.toReversed();
  }

  #lose(loss: LockLostError): void {
    if (this.#lost.aborted) return;
    // All members are lost before anybody hears of it, because a listener may end the hold at once.
    const tell = this.#lost.prepare(loss);
    for (const member of this.members) member.loseWith(loss);
    tell();
  }
}
