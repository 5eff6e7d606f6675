import { Ensembles } from '../ensemble/ensembles.js';
import { SimulatedEnsemble } from '../ensemble/simulated-ensemble.js';
import { DEFAULT_SETTINGS } from '../ensemble/ensemble-settings.js';
import { Network } from '../network/network.js';
import type { Scenario } from '../scenario/scenario.js';
import { serverNames } from '../scenario/server-names.js';
import { Random } from '../world/random.js';
import { Scheduler } from '../world/scheduler.js';
import { GuardedResource } from './guarded-resource.js';
import { Recorder } from './recorder.js';

/** Everything that the processes of a run share. */
export interface World {
  readonly scenario: Scenario;
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly ensembles: Ensembles;
  readonly recorder: Recorder;
  readonly guard: GuardedResource;
}

export function createWorld(scenario: Scenario): World {
  const random = new Random(scenario.seed).fork('run');
  const scheduler = new Scheduler(random.fork('ties'));
  const network = new Network(scheduler, random.fork('network'));
  const { size: _, rates, longestSession, ...given } = scenario.ensemble;
  const settings = {
    ...DEFAULT_SETTINGS,
    ...given,
    minSessionTimeout: 2 * given.tickTime,
    maxSessionTimeout: longestSession ?? DEFAULT_SETTINGS.maxSessionTimeout,
  };
  const [names = [], secondNames] = serverNames(scenario);
  const shared = { settings, scheduler, network };
  const first = new SimulatedEnsemble({ ...shared, names, rates, random: random.fork('ensemble') });
  const second = scenario.second && {
    ...shared,
    names: secondNames!,
    rates: scenario.second.rates,
    random: random.fork('second ensemble'),
  };
  const ensembles = new Ensembles(second ? [first, new SimulatedEnsemble(second)] : [first]);
  const recorder = new Recorder(scheduler);
  const guard = new GuardedResource(scheduler, random.fork('guard'));
  return { scenario, random, scheduler, network, ensembles, recorder, guard };
}
