import type { TestedGroup, TestedHold } from '../../../attempts/tested-locks.interface.js';

/** Several holds of a naive lock. */
export class HandmadeGroup implements TestedGroup {
  readonly signal: AbortSignal;

  constructor(private readonly members: readonly TestedHold[]) {
    this.signal = AbortSignal.any(members.map(({ signal }) => signal));
  }

  member(resource: string): TestedHold {
    const member = this.members.find((candidate) => candidate.resource === resource);
    if (member === undefined) throw new Error(`There is no lock '${resource}' in this group`);
    return member;
  }

  isHeld(): boolean {
    return this.members.every((member) => member.isHeld());
  }

  assertHeld(): void {
    for (const member of this.members) member.assertHeld();
  }

  async release(): Promise<boolean> {
    const kept = await Promise.all(this.members.map((member) => member.release()));
    return kept.every(Boolean);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}
