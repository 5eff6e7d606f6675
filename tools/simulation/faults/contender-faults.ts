import { fencingToken } from '../../../lib/zookeeper/recipe/fencing-token.js';
import { attemptOf } from '../../history/names.js';
import type { Strikes } from './strike.js';

/** What others do to the queue of a resource. */
export const CONTENDER_FAULTS: Strikes<'deleteContender' | 'foreign'> = {
  deleteContender: ({ resource }, { operator }) => {
    const deleted = operator.deleteContender(resource);
    if (deleted === undefined) return undefined;
    const attempt = attemptOfRecord(deleted.data);
    const token = fencingToken(deleted.czxid);
    return { on: 'contender', kind: 'contenderDeletion', targets: [], token, ...(attempt && { attempt }) };
  },
  foreign: ({ resource, name }, { operator }) => {
    const leave = operator.contend(resource, name);
    return leave && { on: 'contender', targets: [], undo: leave };
  },
};

/** The attempt that a contender's record names. */
export function attemptOfRecord(data: string): string | undefined {
  try {
    return attemptOf(JSON.parse(data) as { owner?: string; purpose?: string });
  } catch {
    // Another client's.
    return undefined;
  }
}
