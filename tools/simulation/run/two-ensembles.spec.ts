import { expect, test } from 'vitest';
import type { RunHistory } from '../../history/run-history.js';
import type { Fault } from '../scenario/fault.js';
import type { Scenario } from '../scenario/scenario.js';
import { runScenario } from './run-scenario.js';
import { lockPlan, processPlan } from './spec-plans.js';

/** By the hash of the library, which lock is on which ensemble. */
const [ON_FIRST, ON_SECOND] = ['reports', 'orders'];

function scenario(fault: Fault): Scenario {
  return {
    seed: '1',
    ensemble: { size: 1, tickTime: 1_000, syncLimit: 4, rates: [1] },
    second: { size: 3, rates: [1, 1, 1] },
    processes: [processPlan('p1', 4_000)],
    resources: [ON_FIRST, ON_SECOND],
    calls: [ON_FIRST, ON_SECOND].map((resource) => ({
      at: 5_000,
      process: 'p1',
      plan: lockPlan(resource, 60_000),
    })),
    faults: [{ at: 10_000, fault }],
    quietFrom: 100_000,
  };
}

/** The resources whose locks were lost, in their order. */
function lost({ events }: RunHistory): string[] {
  const resources = new Map(
    events.flatMap((event) => (event.what === 'asked' ? [[event.attempt, event.resource]] : [])),
  );
  return events.flatMap((event) =>
    event.what === 'emitted' && event.event === 'lost' ? [resources.get(event.attempt)!] : [],
  );
}

test.each([
  ['s1', ON_FIRST],
  ['s11', ON_SECOND],
  ['s12', ON_SECOND],
  ['s13', ON_SECOND],
])(
  'without %s and the quorum of its ensemble, only the locks of that ensemble are lost',
  async (server, resource) => {
    const others = ['s11', 's12', 's13'].filter((name) => name !== server);
    const hosts = server === 's1' ? ['s1'] : [server, others[0]!];
    const { history } = await runScenario(scenario({ kind: 'loseQuorum', hosts, ms: 20_000 }));

    expect(history.events.filter(({ what }) => what === 'granted')).toHaveLength(2);
    expect(lost(history)).toEqual([resource]);
  },
);

test('the end of all servers ends the locks of both ensembles', async () => {
  const { history } = await runScenario(scenario({ kind: 'restartAll', ms: 20_000, keepsData: true }));
  expect(lost(history).toSorted()).toEqual([ON_SECOND, ON_FIRST]);
});
