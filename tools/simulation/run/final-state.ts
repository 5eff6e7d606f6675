import type { FinalState } from '../../history/run-history.js';
import type { SimulatedEnsemble } from '../ensemble/simulated-ensemble.js';
import { ROOT } from './simulated-process.js';

/** What is left on the servers. */
export function finalStateOf({ members }: SimulatedEnsemble): FinalState {
  const services = members.flatMap(({ number, service }) =>
    service === undefined ? [] : [{ number, service }],
  );
  const contenders = new Set<string>();
  const lockPaths = new Set<string>();
  const watches: string[] = [];
  for (const { number, service } of services) {
    const { tree, watches: watched } = service.store;
    if (watched.size > 0) watches.push(`s${number}: ${watched.size}`);
    for (const [path, { data }] of tree.entries()) {
      if (!path.startsWith(`${ROOT}/`)) continue;
      const isContender = path.slice(ROOT.length + 1).includes('/');
      if (isContender) contenders.add(`${path} ${data?.toString('utf8') ?? ''}`);
      else lockPaths.add(path);
    }
  }
  return { contenders: [...contenders], watches, lockPaths: [...lockPaths] };
}
