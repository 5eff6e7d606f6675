import { SimulatedEnsemble } from '../ensemble/simulated-ensemble.js';
import { DEFAULT_SETTINGS } from '../ensemble/ensemble-settings.js';
import { Network } from '../network/network.js';
import type { Scenario } from '../scenario/scenario.js';
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
  readonly ensemble: SimulatedEnsemble;
  readonly recorder: Recorder;
  readonly guard: GuardedResource;
}

export function createWorld(scenario: Scenario): World {
  const random = new Random(scenario.seed).fork('run');
  const scheduler = new Scheduler(random.fork('ties'));
  const network = new Network(scheduler, random.fork('network'));
  const { size, rates, tickTime, syncLimit } = scenario.ensemble;
  const settings = { ...DEFAULT_SETTINGS, tickTime, syncLimit, minSessionTimeout: 2 * tickTime };
  const ensemble = new SimulatedEnsemble({
    size,
    rates,
    settings,
    scheduler,
    network,
    random: random.fork('ensemble'),
  });
  const recorder = new Recorder(scheduler);
  const guard = new GuardedResource(scheduler, random.fork('guard'));
  return { scenario, random, scheduler, network, ensemble, recorder, guard };
}
