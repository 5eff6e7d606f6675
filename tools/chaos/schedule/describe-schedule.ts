import { plannedDuration, type PlannedFault } from './fault.js';
import type { Schedule } from './schedule.js';
import type { ScheduleOptions } from './setting.js';

/** The schedule, one line per process and per fault. */
export function describeSchedule({ options, setting, quietFrom, faults }: Schedule): string {
  return [
    `${options.servers} servers with a tick of ${setting.tickTime} ms; quiet from ${seconds(quietFrom)}${crowd(options)}`,
    ...setting.processes.map(
      ({ sessionTimeout, module, seed }, index) =>
        `p${index + 1}: T ${sessionTimeout} ms, seed ${seed}, ${JSON.stringify(module)}`,
    ),
    ...faults.map(describeFault),
  ].join('\n');
}

function crowd({ crowd = 1 }: ScheduleOptions): string {
  return crowd === 1 ? '' : `; ${crowd} times as many flows`;
}

function describeFault({ at, lane, fault }: PlannedFault): string {
  const { on: _on, kind, ...details } = fault;
  const until = seconds(at + plannedDuration(fault));
  return `${seconds(at)} to ${until}  ${lane}: ${kind} ${JSON.stringify(details)}`;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`;
}
