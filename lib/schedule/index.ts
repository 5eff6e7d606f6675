export { LockedCron, type LockedCronDecorator } from './locked-cron.decorator.js';
export type { LockedCronOptions, LockedRunOptions } from './locked-cron-options.js';
export type { InterruptedRun, Tick } from '../locking/schedule/tick.interface.js';
