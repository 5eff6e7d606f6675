import { readClosed } from '../../../lib/zookeeper/recipe/closed-record.js';
import { fencingToken } from '../../../lib/zookeeper/recipe/fencing-token.js';
import { readOwner } from '../../../lib/zookeeper/recipe/owner-record.js';
import { attemptOf } from '../../history/names.js';
import { sendAway } from './partitions.js';
import type { Strikes } from './strike.js';

/** What others do to the queue of a resource. */
export const CONTENDER_FAULTS: Strikes<'deleteContender' | 'foreign'> = {
  deleteContender: ({ resource, away }, stage) => {
    const deleted = stage.operator.deleteContender(resource);
    if (deleted === undefined) return undefined;
    const attempt = attemptOfRecord(deleted.data, resource);
    const host = readOwner(Buffer.from(deleted.data))?.host;
    const { now } = stage.world.scheduler;
    const isAway = host !== undefined && away !== undefined;
    if (isAway) sendAway(host, away, stage);
    const token = readClosed(Buffer.from(deleted.data))?.token ?? fencingToken(deleted.czxid);
    return {
      on: 'contender',
      kind: 'contenderDeletion',
      targets: [],
      token,
      ...(isAway && { hit: () => ({ targets: [host], from: now, to: now + away }) }),
      // That the process is away disturbs it, whoever has deleted the node.
      isRefused: () => !isAway && deleted.outcome === 'refused',
      ...(attempt && { attempt }),
      ...(deleted.isSimple && { resource }),
    };
  },
  foreign: ({ resource, name: prefix, isPrivate = false }, { foreigners }) => {
    const contender = foreigners.contend(resource, { prefix, isPrivate });
    return contender && { on: 'contender', targets: [], undo: () => contender.leave() };
  },
};

/** The attempt that the record of a contender for `resource` names. */
export function attemptOfRecord(data: string, resource: string): string | undefined {
  const owner = readOwner(Buffer.from(data));
  return owner && attemptOf(owner, resource);
}
