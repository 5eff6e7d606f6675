import type { LockNames } from '../../lib/index.js';
import { memberOf } from '../history/names.js';
import type { AttemptPlan } from './attempt-plan.js';
import type { TestedHeld, TestedHold } from './tested-locks.interface.js';

/** One lock of a call. The history has it as an attempt of its own. */
export interface AttemptPart {
  readonly attempt: string;
  readonly resource: string;
}

/** The locks that the call `name` asks for. */
export function partsOf(name: string, { resource, also }: AttemptPlan): readonly AttemptPart[] {
  if (also === undefined) return [{ attempt: name, resource }];
  return [resource, ...also].map((one) => ({ attempt: memberOf(name, one), resource: one }));
}

/** What the call asks for, in the order of the caller. */
export function lockNamesOf({ resource, also }: AttemptPlan): LockNames {
  return also === undefined ? resource : [resource, ...also];
}

/** @throws Error if this lock is not among those that have been granted */
export function holdOf(held: TestedHeld, resource: string): TestedHold {
  return 'member' in held ? held.member(resource) : held;
}
