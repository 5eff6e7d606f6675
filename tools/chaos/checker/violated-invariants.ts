import type { FaultRecord, GuardedWrite } from '../history/chaos-history.js';
import { at, tinyHistory, type TinyHistory } from './tiny-history.js';
import { judge } from './verdict.js';
import type { Invariant } from './violation.js';

/** A case of a table: what happens, and which promises it breaks. */
export type Case = [what: string, tiny: TinyHistory, expected: Invariant[]];

/** What the checker says of it. The event stream of attempts is only judged of a lock that tells events. */
export function brokenPromises(tiny: TinyHistory, lock: 'none' | 'real' = 'none'): Invariant[] {
  const history = tinyHistory(tiny);
  const { violations } = judge({ ...history, run: { ...history.run, lock } });
  const nonsense = violations.find(({ sentence }) => /undefined|NaN/.test(sentence));
  if (nonsense !== undefined) throw new Error(`Not a sentence: ${nonsense.sentence}`);
  return violations.map(({ invariant }) => invariant);
}

export function write(ms: number, attempt: string, token: number, accepted = true): GuardedWrite {
  return { at: at(ms), attempt, resource: 'r', moment: 'during', token: BigInt(token), accepted };
}

export function fault(kind: string, target: string, from: number, to: number): FaultRecord {
  return {
    on: 'process',
    kind,
    targets: [target],
    from: at(from),
    to: at(to),
    struck: true,
    detail: '',
    late: 0,
  };
}
