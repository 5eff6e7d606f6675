import { attemptOf } from '../../history/names.js';
import type { Strikes } from './strike.js';

/** What others do to the queue of a resource. */
export const CONTENDER_FAULTS: Strikes<'deleteContender' | 'foreign'> = {
  deleteContender: ({ resource }, { operator }) => {
    const data = operator.deleteContender(resource);
    if (data === undefined) return undefined;
    const attempt = attemptOfRecord(data);
    return { on: 'contender', kind: 'contenderDeletion', targets: [], ...(attempt && { attempt }) };
  },
  foreign: ({ resource, name }, { operator }) => {
    const leave = operator.contend(resource, name);
    return leave && { on: 'contender', targets: [], undo: leave };
  },
};

/** The attempt that a contender's record names. */
function attemptOfRecord(data: string): string | undefined {
  try {
    return attemptOf(JSON.parse(data) as { owner?: string; purpose?: string });
  } catch {
    // Another client's.
    return undefined;
  }
}
