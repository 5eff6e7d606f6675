import type { AttemptPlan, NestedPlan } from '../../attempts/attempt-plan.js';
import type { PlannedCall, ProcessPlan, Scenario } from '../scenario/scenario.js';
import { requestsOf, withoutSecond, withServers } from './without-hosts.js';

/** Makes one thing of a scenario simpler. */
type Simplification = (scenario: Scenario) => Scenario;

/** What a call can do without; the library has defaults for these. */
const OPTIONAL = [
  'also',
  'nested',
  'works',
  'abortAfter',
  'extension',
  'throws',
  'minHold',
  'maxWaiters',
  'whenCallerLeaves',
  'reentrant',
  'mode',
  'permits',
  'ownedBy',
  'failure',
  'locked',
  'ttl',
  'wait',
] as const;

/** What a nested call can do without. */
const OPTIONAL_NESTED = ['nested', 'resource', 'throws', 'minHold', 'mode', 'ttl', 'wait'] as const;

/** Of each kind, the simplifications that a scenario may bear, in the order in which they are tried. */
export const simplerScenarios: readonly ((scenario: Scenario) => Simplification[])[] = [
  withoutJob,
  withoutRequests,
  oneEnsemble,
  usualServers,
  fewerServers,
  fewerResources,
  exactClocks,
  plainProcesses,
  plainCalls,
];

function withoutJob({ job }: Scenario): Simplification[] {
  return job === undefined ? [] : [(scenario) => omit(scenario, 'job')];
}

function withoutRequests({ requests }: Scenario): Simplification[] {
  return requests === undefined ? [] : [(scenario) => omit(scenario, 'requests')];
}

function oneEnsemble({ second }: Scenario): Simplification[] {
  return second === undefined ? [] : [withoutSecond];
}

function usualServers({ ensemble }: Scenario): Simplification[] {
  return (['containers', 'hidesStats', 'longestSession'] as const)
    .filter((setting) => ensemble[setting] !== undefined)
    .map((setting) => (scenario) => ({ ...scenario, ensemble: omit(scenario.ensemble, setting) }));
}

function fewerServers({ ensemble }: Scenario): Simplification[] {
  const sizes = [1, 3].filter((size) => size < ensemble.size);
  return sizes.map(
    (size) => (scenario) => (size < scenario.ensemble.size ? withServers(scenario, size) : scenario),
  );
}

function fewerResources({ resources }: Scenario): Simplification[] {
  return resources.map((resource) => (scenario) => ({
    ...scenario,
    resources: scenario.resources.filter((name) => name !== resource),
    calls: scenario.calls
      .filter(({ plan }) => plan.resource !== resource)
      .map((call) => ({ ...call, plan: nestedWithin(withoutAlso(call.plan, resource), resource) })),
    faults: scenario.faults.filter(({ fault }) => !('resource' in fault) || fault.resource !== resource),
    ...requestsOf(scenario, (request) => request.resource !== resource),
  }));
}

function exactClocks({ processes }: Scenario): Simplification[] {
  const ofServers: Simplification = (scenario) => ({
    ...scenario,
    ensemble: { ...scenario.ensemble, rates: scenario.ensemble.rates.map(() => 1) },
  });
  const ofProcess = ({ name }: ProcessPlan): Simplification =>
    changeProcess(name, (plan) => ({ ...plan, rate: 1, wallRate: 1 }));
  return [ofServers, ...processes.map(ofProcess)];
}

function plainProcesses({ processes }: Scenario): Simplification[] {
  return processes.flatMap(({ name }) => [
    changeProcess(name, (plan) => ({ ...plan, release: 'confirmed' })),
    changeProcess(name, (plan) => omit(plan, 'maxSessionPathBytes')),
    changeProcess(name, (plan) => omit(plan, 'crashGuard')),
    changeProcess(name, (plan) => omit(plan, 'retryDelay')),
    changeProcess(name, (plan) => omit(plan, 'shutdownPause')),
    changeProcess(name, (plan) => omit(omit(omit(plan, 'localQueue'), 'handOver'), 'linger')),
    changeProcess(name, (plan) => omit(plan, 'handOver')),
    changeProcess(name, (plan) => omit(plan, 'linger')),
  ]);
}

function plainCalls({ calls }: Scenario): Simplification[] {
  return calls.flatMap((_, index) => [
    ...OPTIONAL.map((option) => changeCall(index, (plan) => withoutOption(plan, option))),
    ...OPTIONAL_NESTED.map((option) => changeNested(index, (plan) => omit(plan, option))),
    changeCall(index, (plan) => ({ ...plan, verb: 'lock', ending: 'release', heedsSignal: false })),
    changeCallItself(index, (call) => omit(call, 'timed')),
  ]);
}

/** A semaphore needs a number of permits. */
function withoutOption(plan: AttemptPlan, option: (typeof OPTIONAL)[number]): AttemptPlan {
  return option === 'permits' ? omit(omit(plan, 'permits'), 'mode') : omit(plan, option);
}

function withoutAlso(plan: AttemptPlan, resource: string): AttemptPlan {
  if (plan.also?.includes(resource) !== true) return plan;
  const also = plan.also.filter((other) => other !== resource);
  return also.length === 0 ? omit(plan, 'also') : { ...plan, also };
}

/** Nested calls for this lock ask for that of the call around them. */
function nestedWithin<P extends AttemptPlan | NestedPlan>(plan: P, resource: string): P {
  if (plan.nested === undefined) return plan;
  const nested = nestedWithin(plan.nested, resource);
  return { ...plan, nested: nested.resource === resource ? omit(nested, 'resource') : nested };
}

function changeProcess(name: string, change: (plan: ProcessPlan) => ProcessPlan): Simplification {
  return (scenario) => ({
    ...scenario,
    processes: scenario.processes.map((plan) => (plan.name === name ? change(plan) : plan)),
  });
}

function changeCall(index: number, change: (plan: AttemptPlan) => AttemptPlan): Simplification {
  return changeCallItself(index, (call) => ({ ...call, plan: change(call.plan) }));
}

function changeCallItself(index: number, change: (call: PlannedCall) => PlannedCall): Simplification {
  return (scenario) => ({
    ...scenario,
    calls: scenario.calls.map((call, at) => (at === index ? change(call) : call)),
  });
}

function changeNested(index: number, change: (plan: NestedPlan) => NestedPlan): Simplification {
  return changeCall(index, (plan) =>
    plan.nested === undefined ? plan : { ...plan, nested: change(plan.nested) },
  );
}

function omit<T extends object>(value: T, name: keyof T): T {
  const copy = { ...value };
  delete copy[name];
  return copy;
}
