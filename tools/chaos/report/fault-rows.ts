import type { FaultRecord } from '../../history/fault-record.js';
import { groupBy } from '../../history/group-by.js';
import type { Row } from '../../trace/table.js';

const PLACES: readonly [on: FaultRecord['on'], name: string][] = [
  ['network', '  of networks'],
  ['process', '  of processes'],
  ['holder', '  of holders'],
  ['servers', '  of servers'],
  ['links', '  of links'],
];

/** How many of the injected faults struck: some have no target. */
export function faultRows(faults: readonly FaultRecord[]): Row[] {
  const latest = Math.max(0, ...faults.map(({ late }) => late));
  return [
    ['faults', String(faults.length), `${struck(faults)} struck; the largest delay was ${latest} ms`],
    ...PLACES.flatMap(([place, name]): Row[] => {
      const there = faults.filter(({ on }) => on === place);
      return there.length === 0 ? [] : [[name, String(there.length), shares(there)]];
    }),
  ];
}

function struck(faults: readonly FaultRecord[]): number {
  return faults.filter((fault) => fault.struck).length;
}

/** By kind, the most frequent first. */
function shares(faults: readonly FaultRecord[]): string {
  return [...groupBy(faults, ({ kind }) => kind)]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([kind, all]) => `${kind} ${struck(all)} of ${all.length}`)
    .join(', ');
}
