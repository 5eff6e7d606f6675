import type { FaultRecord } from '../history/fault-record.js';
import type { GuardedWrite } from '../history/run-history.js';
import { at, tinyHistory, type TinyHistory } from './tiny-history.js';
import { check } from './verdict.js';
import type { Invariant } from './violation.js';

/** A case of a table: a history, and the invariants that it violates. */
export type Case = [name: string, history: TinyHistory, expected: Invariant[]];

/** The checker's verdict. */
export function violatedInvariants(tiny: TinyHistory, emitsEvents = false): Invariant[] {
  const history = tinyHistory(tiny);
  const { violations } = check({ ...history, run: { ...history.run, emitsEvents } });
  const nonsense = violations.find(({ sentence }) => /undefined|NaN/.test(sentence));
  if (nonsense !== undefined) throw new Error(`Not a sentence: ${nonsense.sentence}`);
  return violations.map(({ invariant }) => invariant);
}

export function write(ms: number, attempt: string, token: number, accepted = true): GuardedWrite {
  return { at: at(ms), attempt, resource: 'r', moment: 'during', token: BigInt(token), accepted };
}

/** A fault of a process, a server or, for `contenderDeletion`, of an attempt. */
export function fault(kind: string, target: string, from: number, to: number): FaultRecord {
  return {
    on: target.startsWith('s') ? 'servers' : 'process',
    kind,
    targets: [target],
    attempt: target,
    from: at(from),
    to: at(to),
    struck: true,
    detail: '',
    late: 0,
  };
}
