import { Logger } from '@nestjs/common';
import { check } from '../checker/verdict.js';
import { drawScenario } from './scenario/draw-scenario.js';
import { runScenario } from './run/run-scenario.js';

Logger.overrideLogger(false);
const [from = '1', count = '1'] = process.argv.slice(2);
let grants = 0,
  faults = 0,
  events = 0;
const t0 = performance.now();
for (let seed = Number(from); seed < Number(from) + Number(count); seed += 1) {
  const scenario = drawScenario(String(seed));
  const t = performance.now();
  const run = await runScenario(scenario);
  const t2 = performance.now();
  const verdict = check(run.history);
  const g = run.history.events.filter(({ what }) => what === 'granted').length;
  const asked = run.history.events.filter(({ what }) => what === 'asked').length;
  grants += g;
  events += run.events;
  faults += run.history.faults.filter((f) => f.struck).length;
  console.info(
    seed,
    `size ${scenario.ensemble.size} calls ${scenario.calls.length} asked ${asked} grants ${g} faults ${run.history.faults.filter((f) => f.struck).length}/${scenario.faults.length} virtual ${Number(run.history.run.endedAt / 1000000n)} events ${run.events} ms ${Math.round(t2 - t)} check ${Math.round(performance.now() - t2)} violations ${verdict.violations.length}`,
  );
  for (const v of verdict.violations.slice(0, 5)) console.info('   ', v.invariant, v.sentence.slice(0, 400));
}
const minutes = (performance.now() - t0) / 60000;
console.info(
  `grants/min ${Math.round(grants / minutes)} faults/min ${Math.round(faults / minutes)} events/s ${Math.round(events / minutes / 60)}`,
);

// Killed processes have left what would keep a real one alive.
process.exit();
