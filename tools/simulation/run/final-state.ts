import { ownerKind } from '../../../lib/testing/tree/ephemeral-owner.js';
import type { FinalState } from '../../history/run-history.js';
import type { Ensembles } from '../ensemble/ensembles.js';
import { ROOT } from './simulated-process.js';

/** The scheduled times that are complete, and which ensemble it is: both stay there on purpose. */
const LASTING = `${ROOT}/.`;

/** What is left on the servers. */
export function finalStateOf(ensembles: Ensembles): FinalState {
  const services = ensembles.members.flatMap(({ number, service }) =>
    service === undefined ? [] : [{ number, service }],
  );
  const contenders = new Set<string>();
  const lockPaths = new Set<string>();
  const watches: string[] = [];
  // A process whose session expires between creating a lock path and its first contender leaves the path behind for ever.
  const mayBeUnused = ensembles.all.some(({ expiredSessions }) => expiredSessions.size > 0);
  for (const { number, service } of services) {
    const { tree, watches: watched } = service.store;
    if (watched.size > 0) watches.push(`s${number}: ${watched.size}`);
    for (const [path, { data, cversion, owner }] of tree.entries()) {
      if (!path.startsWith(`${ROOT}/`) || path.startsWith(LASTING)) continue;
      const isContender = path.slice(ROOT.length + 1).includes('/') || ownerKind(owner) === 'session';
      if (isContender) contenders.add(`${path} ${data?.toString('utf8') ?? ''}`);
      else if (cversion > 0 || !mayBeUnused) lockPaths.add(path);
    }
  }
  return { contenders: [...contenders], watches, lockPaths: [...lockPaths] };
}
