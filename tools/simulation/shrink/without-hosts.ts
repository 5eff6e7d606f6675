import type { Fault } from '../scenario/fault.js';
import type { PlannedRequest, Scenario } from '../scenario/scenario.js';
import { isOfSecond } from '../scenario/server-names.js';

/** The scenario with these processes alone, without the calls and the faults of the others. */
export function withoutProcesses(scenario: Scenario, left: readonly string[]): Scenario {
  const isLeft = (host: string): boolean => !host.startsWith('p') || left.includes(host);
  return {
    ...scenario,
    processes: scenario.processes.filter(({ name }) => isLeft(name)),
    calls: scenario.calls.filter(({ process }) => isLeft(process)),
    faults: scenario.faults.filter(({ fault }) => hostsOf(fault).every(isLeft)),
    ...requestsOf(scenario, ({ process }) => isLeft(process)),
  };
}

/** Some of the requests to release a lock, if there are any. */
export function requestsOf(
  { requests }: Scenario,
  isLeft: (request: PlannedRequest) => boolean,
): Pick<Scenario, 'requests'> {
  return requests === undefined ? {} : { requests: requests.filter(isLeft) };
}

/** The scenario with the first `size` servers of the first ensemble alone, without the faults of the others. */
export function withServers(scenario: Scenario, size: number): Scenario {
  const isLeft = (host: string): boolean =>
    !host.startsWith('s') || isOfSecond(host) || Number(host.slice(1)) <= size;
  const { ensemble } = scenario;
  return {
    ...scenario,
    ensemble: { ...ensemble, size, rates: ensemble.rates.slice(0, size) },
    faults: scenario.faults.filter(({ fault }) => hostsOf(fault).every(isLeft)),
  };
}

/** The scenario with the first ensemble alone, which has all locks, without the faults of the other one. */
export function withoutSecond(scenario: Scenario): Scenario {
  const { second: _, ...left } = scenario;
  const isLeft = (host: string): boolean => !host.startsWith('s') || !isOfSecond(host);
  return { ...left, faults: scenario.faults.filter(({ fault }) => hostsOf(fault).every(isLeft)) };
}

function hostsOf(fault: Fault): readonly string[] {
  if ('host' in fault) return [fault.host];
  if ('hosts' in fault) return fault.hosts;
  return 'from' in fault ? [fault.from, fault.to] : [];
}
