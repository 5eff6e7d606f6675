import { describe, expect, it } from 'vitest';
import { plannedDuration } from './fault.js';
import { quietPeriods } from './quiet-periods.js';
import { planSchedule, scheduleHash } from './schedule.js';

const OPTIONS = { seed: 7, durationMs: 300_000, servers: 3, processes: 6, resources: ['a', 'b'] };

describe('a schedule', () => {
  it('is decided by its seed', () => {
    const hashes = [7, 7, 8].map((seed) => scheduleHash(planSchedule({ ...OPTIONS, seed })));

    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
  });

  it('with a crowd differs only in the number of flows', () => {
    const usual = planSchedule(OPTIONS);
    const crowded = planSchedule({ ...OPTIONS, crowd: 10 });

    expect({ ...crowded, options: usual.options }).toEqual(usual);
    expect(scheduleHash(crowded)).not.toBe(scheduleHash(usual));
    expect(scheduleHash(planSchedule({ ...OPTIONS, crowd: 1 }))).toBe(scheduleHash(usual));
  });

  it('has overlapping faults and, over several seeds, faults of every kind', () => {
    const { faults } = planSchedule(OPTIONS);
    const seeds = Array.from({ length: 10 }, (_, seed) => planSchedule({ ...OPTIONS, seed }));
    const kinds = new Set(seeds.flatMap((schedule) => schedule.faults).map(({ fault }) => fault.kind));
    const overlapping = faults.filter(({ at, fault }, i) =>
      faults.slice(i + 1).some((later) => later.at < at + plannedDuration(fault)),
    );

    expect([...kinds].sort()).toEqual([
      'blackHole',
      'block',
      'cut',
      'delay',
      'doubleStall',
      'ensembleRestart',
      'frameFault',
      'holderBlackHole',
      'holderKill',
      'kill',
      'leaderKill',
      'linkStall',
      'midPacketCut',
      'quorumLoss',
      'reset',
      'serverKill',
      'serverPause',
      'sessionExpiry',
      'shutdown',
      'stop',
    ]);
    expect(overlapping.length).toBeGreaterThan(50);
  });

  it('has one fault in each quiet period, which kills a holder', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { faults, setting, quietFrom } = planSchedule({ ...OPTIONS, seed });
      const quiet = quietPeriods(OPTIONS, setting);
      const within = (from: number, to: number): string[] =>
        faults
          .filter(({ at, fault }) => at < to && at + plannedDuration(fault) > from)
          .map(({ fault }) => fault.kind);

      expect(quiet.length).toBeGreaterThan(3);
      expect(quiet.at(-1)).toEqual({ from: quietFrom, to: OPTIONS.durationMs });
      for (const { from, to } of quiet) expect(within(from, to)).toEqual(['holderKill']);
    }
  });

  it('has no faults of links or leaders with a single server', () => {
    const { faults } = planSchedule({ ...OPTIONS, servers: 1 });
    const onServers = faults.filter(({ fault }) => fault.on === 'servers' || fault.on === 'links');

    expect(new Set(onServers.map(({ fault }) => fault.kind))).toEqual(new Set(['serverKill', 'serverPause']));
  });
});
