import { ownerKind } from '../../../lib/testing/tree/ephemeral-owner.js';
import { CLOSE_TIMEOUT_MS } from '../../../lib/zookeeper/client/close-timeout.js';
import { milliseconds } from '../../history/moments.js';
import type { FinalState, Incarnation } from '../../history/run-history.js';
import type { Ensembles } from '../ensemble/ensembles.js';
import { ROOT } from './running-process.js';

/** The scheduled times that are complete, and which ensemble it is: both stay there on purpose. */
const LASTING = `${ROOT}/.`;

const NOTHING: FinalState = { contenders: [], watches: [], lockPaths: [] };

/** The clock of a process may run faster than that of the run. */
const FASTEST_RATE = 1.01;

/**
 * What is left on the servers at the end.
 *
 * @param idle what was left when all calls had ended, and before the sessions did, which remove all that is theirs
 */
export function finalStateOf(
  ensembles: Ensembles,
  incarnations: readonly Incarnation[],
  idle = NOTHING,
): FinalState {
  // A session that ends between the creation of a lock path and that of its first contender leaves the path behind for ever.
  const mayBeUnused =
    ensembles.all.some(({ expiredSessions }) => expiredSessions.size > 0) || incarnations.some(mayLeavePaths);
  const { contenders, watches, lockPaths } = leftOn(ensembles, (cversion) => cversion > 0 || !mayBeUnused);
  return {
    contenders: [...new Set([...idle.contenders, ...contenders])],
    watches: [...idle.watches, ...watches],
    lockPaths,
  };
}

/** It was killed, and a crash guard may have ended its session; or its shutdown did not wait any longer for removals. */
export function mayLeavePaths({ end, closingSince, to }: Incarnation): boolean {
  if (end === 'killed') return true;
  return closingSince !== undefined && milliseconds(to - closingSince) * FASTEST_RATE >= CLOSE_TIMEOUT_MS;
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
