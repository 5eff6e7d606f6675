import { expect, test } from 'vitest';
import { fault } from '../../checker/violated-invariants.js';
import { at, attempt, tinyHistory } from '../../checker/tiny-history.js';
import { check } from '../../checker/verdict.js';
import type { ChaosHistory } from '../chaos-history.js';
import { drawTimeline } from '../../picture/timeline.js';
import { report } from './report.js';

const holder = attempt('p1.1#1')
  .asked(900)
  .emitted(901, 'acquired')
  .granted(902, 1)
  .checked(1_500)
  .checked(1_600);
const rival = attempt('p2.1#1').asked(1_000).emitted(1_550, 'acquired').granted(1_550, 2).released(1_700);
const tiny = tinyHistory({
  attempts: [holder.released(1_800).emitted(1_801, 'released'), rival.emitted(1_702, 'released')],
  faults: [
    fault('blackHole', 'p1', 1_100, 1_400),
    fault('stop', 'p3', 1_100, 1_400),
    fault('serverKill', 's1', 500, 1_200),
  ],
  writes: [{ at: at(1_610), attempt: 'p1.1#1', resource: 'r', moment: 'during', token: 1n, accepted: false }],
});
const history: ChaosHistory = { ...tiny, run: { ...tiny.run, plannedHash: '', carriedOutHash: '' } };
const verdict = check(history);

test('the failure trace lists what the processes concerned did, and their faults, in time order', () => {
  const lines = report(verdict, history).split('\n');
  const from = lines.findIndex((line) => line.includes('asks for'));
  const trace = lines.slice(from).map((line) => line.replace(/ {2,}/g, ' ').trim());

  expect(trace).toEqual([
    "0.900 s p1.1#1 asks for 'r' (lock, waits without limit)",
    '0.900 s s1 FAULT serverKill',
    '0.901 s p1.1#1 event acquired',
    '0.902 s p1.1#1 is granted the lock with token 1; isHeld() is true',
    "1.000 s p2.1#1 asks for 'r' (lock, waits without limit)",
    '1.100 s p1 FAULT blackHole',
    '1.200 s s1 end of serverKill',
    '1.400 s p1 end of blackHole',
    '1.550 s p2.1#1 event acquired',
    '1.550 s p2.1#1 is granted the lock with token 2; isHeld() is true',
    ">>>>>>>>>>>> S1: p1.1#1 and p2.1#1 both hold 'r' for 150 ms: p1.1#1 (token 1) from 0.902 s to 1.800 s, p2.1#1 (token 2) from 1.550 s to 1.700 s",
    '1.600 s p1.1#1 isHeld() is true',
    "1.610 s guard rejects the write 'during' of p1.1#1 to 'r'",
    '1.700 s p2.1#1 has finished its work; isHeld() is true',
    '1.701 s p2.1#1 has released the lock: kept',
    '1.702 s p2.1#1 event released',
    '1.800 s p1.1#1 has finished its work; isHeld() is true',
    '1.801 s p1.1#1 has released the lock: kept',
    '1.801 s p1.1#1 event released',
    '',
    '1 violations (S1: 1)',
  ]);
});

test('the picture shows the violation, and contains no invalid numbers', () => {
  const svg = drawTimeline(verdict, history);

  expect(svg).toContain('1 violations');
  expect(svg).toContain('p1.1#1 and p2.1#1 both hold');
  expect(svg).toContain("write 'during' rejected");
  expect(svg).not.toMatch(/NaN|undefined|Infinity/);
});
