import { CronTime } from 'cron';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { latestScheduledTime } from '../../lib/schedule/scheduled-time.js';

afterEach(() => vi.useRealTimers());

const at = (text: string) => Date.parse(text);

/** The latest scheduled time at `now`, where the clock shows that time too. */
function latest(cronTime: CronTime, now: string): string {
  vi.useFakeTimers({ toFake: ['Date'], now: at(now) });
  return new Date(latestScheduledTime(cronTime, at(now))!).toISOString();
}

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
const PARIS = 'Europe/Paris';

describe('the latest scheduled time', () => {
  test.each<[what: string, cronTime: CronTime, now: string, time: string]>([
    [
      'of a punctual timer',
      new CronTime('*/5 * * * *', 'UTC'),
      '2027-01-15T10:05:00.000Z',
      '2027-01-15T10:05:00.000Z',
    ],
    [
      'of a late timer',
      new CronTime('* * * * * *', 'UTC'),
      '2027-01-15T10:05:00.999Z',
      '2027-01-15T10:05:00.000Z',
    ],
    [
      'just before one',
      new CronTime('*/5 * * * *', 'UTC'),
      '2027-01-15T10:04:59.999Z',
      '2027-01-15T10:00:00.000Z',
    ],
    [
      'of a timer that is too late',
      new CronTime('* * * * * *', 'UTC'),
      '2027-01-15T10:05:01.001Z',
      '2027-01-15T10:05:01.000Z',
    ],
    ['long ago', new CronTime('0 0 29 2 *', 'UTC'), '2027-01-15T10:05:01.001Z', '2024-02-29T00:00:00.000Z'],
    [
      'of seconds of one hour',
      new CronTime('* * 3 * * *', 'UTC'),
      '2027-01-15T10:00:00.500Z',
      '2027-01-15T03:59:59.000Z',
    ],
    [
      'in a time zone',
      new CronTime('0 3 * * *', PARIS),
      '2027-01-15T02:00:00.010Z',
      '2027-01-15T02:00:00.000Z',
    ],
    [
      'with an offset',
      new CronTime('0 3 * * *', null, 330),
      '2027-01-15T10:00:00.000Z',
      '2027-01-14T21:30:00.000Z',
    ],
    [
      'in a skipped hour',
      new CronTime('30 2 * * *', PARIS),
      '2027-03-28T01:00:00.020Z',
      '2027-03-28T01:00:00.000Z',
    ],
    [
      'in a repeated hour',
      new CronTime('*/30 * * * *', PARIS),
      '2027-10-31T01:30:00.020Z',
      '2027-10-31T01:30:00.000Z',
    ],
    [
      'that came once in a repeated hour',
      new CronTime('30 2 * * *', PARIS),
      '2027-10-31T08:00:00.000Z',
      '2027-10-31T00:30:00.000Z',
    ],
    [
      'that cron takes for another one in a repeated hour',
      new CronTime('0 3 * * *', PARIS),
      '2027-10-31T01:00:00.020Z',
      '2027-10-30T01:00:00.000Z',
    ],
    [
      'after a repeated hour',
      new CronTime('0 3 * * *', PARIS),
      '2027-10-31T02:00:00.020Z',
      '2027-10-31T02:00:00.000Z',
    ],
    [
      'of several that cron takes for others in a repeated hour',
      new CronTime('*/20 2 * * *', 'America/New_York'),
      '2027-11-07T06:50:00.000Z',
      '2027-11-06T06:40:00.000Z',
    ],
    [
      'of a list of hours, in a repeated one',
      new CronTime('15 1,2,3 * * *', PARIS),
      '2027-10-31T01:15:00.020Z',
      '2027-10-31T01:15:00.000Z',
    ],
    [
      'of a date',
      new CronTime(new Date('2027-01-01T00:00:00Z')),
      '2027-01-01T00:00:00.001Z',
      '2027-01-01T00:00:00.000Z',
    ],
  ])('%s', (_what, cronTime, now, time) => {
    expect(latest(cronTime, now)).toBe(time);
  });

  test.each([
    ['30 2 * * *', PARIS],
    ['*/30 2 * * *', PARIS],
    ['*/20 2 * * *', PARIS],
    ['*/10 2 * * *', PARIS],
    ['* 2 * * *', PARIS],
    ['*/10 1,2 * * *', PARIS],
    ['*/20 1-3 * * *', PARIS],
    ['*/20 * * * *', PARIS],
    ['*/20 1 * * *', 'America/New_York'],
    ['*/10 1 * * *', 'America/New_York'],
  ])('of %s in %s is one that a timer meets, also in an hour that comes twice', (source, zone) => {
    const cronTime = new CronTime(source, zone);
    const change = at(zone === PARIS ? '2027-10-31T01:00:00.000Z' : '2027-11-07T06:00:00.000Z');
    const sample = cronTime.sendAt();
    const nextAfter = (ms: number) =>
      cronTime.getNextDateFrom(sample.plus({ milliseconds: ms - sample.toMillis() })).toMillis();
    const met: number[] = [];
    for (let time = nextAfter(change - 2 * DAY_MS); time < change + HOUR_MS; time = nextAfter(time))
      met.push(time);
    for (let now = change; now < change + HOUR_MS; now += HOUR_MS / 12) {
      const expected = met.findLast((time) => time <= now)!;
      expect(latest(cronTime, new Date(now).toISOString())).toBe(new Date(expected).toISOString());
    }
  });

  test('is unknown before the only one, of a date', () => {
    const date = at('2027-01-01T00:00:00Z');
    expect(latestScheduledTime(new CronTime(new Date(date)), date - 1)).toBeUndefined();
    expect(latestScheduledTime(new CronTime(new Date(date)), date)).toBe(date);
  });

  test('is what cron computes going forward, at every time of the year', () => {
    const expressions = ['*/7 * * * * *', '0 */20 * * * *', '15 1,2,3 * * *', '0 0 1 * *', '0 12 * * 1-5'];
    const zones = ['UTC', PARIS, 'America/New_York', 'Asia/Kolkata'];
    const year = { min: at('2027-01-01T00:00:00Z'), max: at('2027-12-31T00:00:00Z') };
    fc.assert(
      fc.property(
        fc.constantFrom(...expressions),
        fc.constantFrom(...zones),
        fc.integer(year),
        (expression, zone, now) => {
          const cronTime = new CronTime(expression, zone);
          const next = cronTime.sendAt();
          const zoned = (ms: number) => next.plus({ milliseconds: ms - next.toMillis() });
          // Around a change of the clocks, cron computes other times from another start.
          fc.pre(zoned(now - DAY_MS).offset === zoned(now + DAY_MS).offset);
          const time = latestScheduledTime(cronTime, now)!;
          expect(time).toBeLessThanOrEqual(now);
          expect(cronTime.getNextDateFrom(zoned(time)).toMillis()).toBeGreaterThan(now);
        },
      ),
      { numRuns: 40 },
    );
  });
});
