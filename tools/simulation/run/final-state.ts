import { ownerKind } from '../../../lib/testing/tree/ephemeral-owner.js';
import type { FinalState } from '../../history/run-history.js';
import type { SimulatedEnsemble } from '../ensemble/simulated-ensemble.js';
import { ROOT } from './simulated-process.js';

/** The scheduled times that are complete: jobs keep them there on purpose. */
const NOTES = `${ROOT}/.notes`;

/** What is left on the servers. */
export function finalStateOf({ members, expiredSessions }: SimulatedEnsemble): FinalState {
  const services = members.flatMap(({ number, service }) =>
    service === undefined ? [] : [{ number, service }],
  );
  const contenders = new Set<string>();
  const lockPaths = new Set<string>();
  const watches: string[] = [];
  // A process whose session expires between creating a lock path and its first contender leaves the path behind for ever.
  const mayBeUnused = expiredSessions.size > 0;
  for (const { number, service } of services) {
    const { tree, watches: watched } = service.store;
    if (watched.size > 0) watches.push(`s${number}: ${watched.size}`);
    for (const [path, { data, cversion, owner }] of tree.entries()) {
      if (!path.startsWith(`${ROOT}/`) || path.startsWith(NOTES)) continue;
      const isContender = path.slice(ROOT.length + 1).includes('/') || ownerKind(owner) === 'session';
      if (isContender) contenders.add(`${path} ${data?.toString('utf8') ?? ''}`);
      else if (cversion > 0 || !mayBeUnused) lockPaths.add(path);
    }
  }
  return { contenders: [...contenders], watches, lockPaths: [...lockPaths] };
}
