import { ownerKind } from '../../../lib/testing/tree/ephemeral-owner.js';
import type { FinalState } from '../../history/run-history.js';
import type { Ensembles } from '../ensemble/ensembles.js';
import { ROOT } from './running-process.js';

/** The scheduled times that are complete, and which ensemble it is: both stay there on purpose. */
const LASTING = `${ROOT}/.`;

const NOTHING: FinalState = { contenders: [], watches: [], lockPaths: [] };

/**
 * What is left on the servers at the end.
 *
 * @param idle what was left when all calls had ended, and before the sessions did, which remove all that is theirs
 */
export function finalStateOf(ensembles: Ensembles, idle = NOTHING): FinalState {
  // A process whose session expires between creating a lock path and its first contender leaves the path behind for ever.
  const mayBeUnused = ensembles.all.some(({ expiredSessions }) => expiredSessions.size > 0);
  const { contenders, watches, lockPaths } = leftOn(ensembles, (cversion) => cversion > 0 || !mayBeUnused);
  return {
    contenders: [...new Set([...idle.contenders, ...contenders])],
    watches: [...idle.watches, ...watches],
    lockPaths,
  };
}

/** What no call has left behind while the sessions still are. The lock paths are removed later. */
export function idleStateOf(ensembles: Ensembles): FinalState {
  return leftOn(ensembles, () => false);
}

function leftOn(ensembles: Ensembles, isLeft: (cversion: number) => boolean): FinalState {
  const services = ensembles.members.flatMap(({ number, service }) =>
    service === undefined ? [] : [{ number, service }],
  );
  const contenders = new Set<string>();
  const lockPaths = new Set<string>();
  const watches: string[] = [];
  for (const { number, service } of services) {
    const { tree, watches: watched } = service.store;
    if (watched.size > 0) watches.push(`s${number}: ${watched.size}`);
    for (const [path, { data, cversion, owner }] of tree.entries()) {
      if (!path.startsWith(`${ROOT}/`) || path.startsWith(LASTING)) continue;
      const isContender = path.slice(ROOT.length + 1).includes('/') || ownerKind(owner) === 'session';
      if (isContender) contenders.add(`${path} ${data?.toString('utf8') ?? ''}`);
      // On servers without containers, a path stays if its last contender was removed by the end of the session.
      else if (ownerKind(owner) === 'container' && isLeft(cversion)) lockPaths.add(path);
    }
  }
  return { contenders: [...contenders], watches, lockPaths: [...lockPaths] };
}
