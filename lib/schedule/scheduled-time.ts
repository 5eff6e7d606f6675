import type { SchedulerRegistry } from '@nestjs/schedule';

/** A `CronTime` of the package cron, on which @nestjs/schedule depends. */
export type CronTime = ReturnType<SchedulerRegistry['getCronJob']>['cronTime'];

type DateTime = ReturnType<CronTime['getNextDateFrom']>;

const SECOND_MS = 1_000;
/** So long after a change of the clocks, times may have come twice. */
const CHANGE_MS = 3 * 3_600_000;

/**
 * The latest scheduled time that has passed at `now`. A job that a timer starts late thus runs for the time that it was
 * scheduled for, or for a later one that has passed as well: cron skips such times.
 *
 * cron only computes the next time. Its times are whole seconds.
 *
 * @param now ms since 1970
 * @returns undefined if none has passed: that of a date
 */
export function latestScheduledTime(cronTime: CronTime, now: number): number | undefined {
  if (cronTime.realDate) {
    const date = Number(cronTime.source);
    return date <= now ? date : undefined;
  }
  const next = cronTime.sendAt();
  const dateAt = (ms: number) => next.plus({ milliseconds: ms - next.toMillis() });
  const nextAfter = (ms: number): number => cronTime.getNextDateFrom(dateAt(ms)).toMillis();
  const offsetAt = (ms: number): number => dateAt(ms).offset;
  let latest = latestOf(nextAfter, now);
  // When the clocks go back, cron takes the hour before three for three, too.
  while (offsetAt(latest) < offsetAt(latest - CHANGE_MS) && !isOnClock(cronTime, dateAt(latest)))
    latest = latestOf(nextAfter, latest - 1);
  if (offsetAt(latest) === offsetAt(latest - CHANGE_MS)) return latest;
  // In an hour that comes twice, the timer of cron, which goes from one time to the next, may meet no time or only the last ones.
  const before = latestOf(nextAfter, changeBefore(offsetAt, latest) - 1);
  return nextAfter(before) > latest ? before : latest;
}

/** When the clocks changed to the offset that they have at `latest`, within `CHANGE_MS` before it. */
function changeBefore(offsetAt: (ms: number) => number, latest: number): number {
  let before = latest - CHANGE_MS;
  let after = latest;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(middle) === offsetAt(latest)) after = middle;
    else before = middle;
  }
  return after;
}

/** Whether it is one of the scheduled times by its date and time of day, as they are in all time zones. */
function isOnClock(cronTime: CronTime, time: DateTime): boolean {
  const inUtc = time.setZone('utc', { keepLocalTime: true });
  return cronTime.getNextDateFrom(inUtc.minus({ seconds: 1 })).toMillis() === inUtc.toMillis();
}

function latestOf(nextAfter: (ms: number) => number, now: number): number {
  let span = SECOND_MS;
  while (nextAfter(now - span) > now) span *= 2;
  // `latest` has passed, and no time after `end` has.
  let latest = nextAfter(now - span);
  let end = now;
  while (end - latest >= SECOND_MS) {
    const middle = Math.floor((latest + end) / 2);
    const time = nextAfter(middle);
    if (time <= now) latest = time;
    else end = middle;
  }
  return latest;
}
