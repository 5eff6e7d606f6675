import { expect, test } from 'vitest';
import { drawScenario } from './draw-scenario.js';
import type { Fault } from './fault.js';

const FAULTS: Fault[] = Array.from({ length: 100 }, (_, seed) => drawScenario(String(seed)))
  .flatMap(({ faults }) => faults)
  .map(({ fault }) => fault);

const linksOf = (...kinds: string[]): string[] =>
  FAULTS.flatMap((fault) =>
    'from' in fault && kinds.includes(fault.kind) ? [`${fault.from[0]}${fault.to[0]}`] : [],
  );

test('no link leads from a host to itself', () => {
  const same = FAULTS.filter((fault) => 'from' in fault && fault.from === fault.to);
  expect(same).toEqual([]);
});

test('what only sockets know strikes the links of processes, and connect requests come from these', () => {
  expect(new Set(linksOf('cut', 'swallowFin', 'forget'))).toEqual(new Set(['ps', 'sp']));
  expect(new Set(linksOf('refuse'))).toEqual(new Set(['ps']));
  expect(new Set(linksOf('stall', 'slow', 'narrow', 'reset'))).toEqual(new Set(['ps', 'sp', 'ss']));
});
