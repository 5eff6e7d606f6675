import { expect, test } from 'vitest';
import { drawScenario } from './draw-scenario.js';
import { parseScenarioFile, writeScenarioFile } from './scenario-file.js';

/** A scenario file in which something has been changed. */
function changed(change: (content: Record<string, Record<string, unknown>>) => void): string {
  const content = JSON.parse(writeScenarioFile({ about: 'a test', scenario: drawScenario('1') })) as Record<
    string,
    Record<string, unknown>
  >;
  change(content);
  return JSON.stringify(content);
}

test('all that is drawn survives a file', () => {
  const scenarios = Array.from({ length: 10 }, (_, seed) => drawScenario(String(seed)));
  const waits = scenarios.flatMap(({ calls }) => calls.map(({ plan }) => plan.wait));
  expect(waits).toContain(Infinity);
  expect(waits).toContain(undefined);

  for (const scenario of scenarios) {
    const file = { about: 'a test', scenario };
    expect(parseScenarioFile(writeScenarioFile(file))).toEqual(file);
  }
});

test.each([
  [
    'a missing field',
    changed(({ scenario }) => delete scenario?.['quietFrom']),
    'the file.scenario.quietFrom must be a number: got nothing',
  ],
  [
    'a field of the wrong type',
    changed(({ scenario }) => Object.assign(scenario ?? {}, { processes: 3 })),
    'the file.scenario.processes must be a list: got 3',
  ],
  [
    'an unknown fault',
    changed(({ scenario }) =>
      Object.assign(scenario ?? {}, { faults: [{ at: 1, fault: { kind: 'flood' } }] }),
    ),
    'the file.scenario.faults[0].fault.kind must be one of stall,',
  ],
  [
    'a fault with a field of another one',
    changed(({ scenario }) =>
      Object.assign(scenario ?? {}, {
        faults: [{ at: 1, fault: { kind: 'killLeader', ms: 1, host: 'p1' } }],
      }),
    ),
    'the file.scenario.faults[0].fault must not have a field host',
  ],
])('refuses %s, and says where it is', (_, json, message) => {
  expect(() => parseScenarioFile(json)).toThrow(message);
});
