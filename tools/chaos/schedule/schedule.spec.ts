import { describe, expect, it } from 'vitest';
import { plannedDuration } from './fault.js';
import { lulls } from './quiet-periods.js';
import { planSchedule, scheduleHash } from './schedule.js';

const OPTIONS = { seed: 7, durationMs: 300_000, servers: 3, processes: 6, resources: ['a', 'b'] };

describe('a schedule', () => {
  it('is decided by its seed', () => {
    const hashes = [7, 7, 8].map((seed) => scheduleHash(planSchedule({ ...OPTIONS, seed })));

    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
  });

  it('is the same for a crowd, up to the number of its flows', () => {
    const usual = planSchedule(OPTIONS);
    const crowded = planSchedule({ ...OPTIONS, crowd: 10 });

    expect({ ...crowded, options: usual.options }).toEqual(usual);
    expect(scheduleHash(crowded)).not.toBe(scheduleHash(usual));
    expect(scheduleHash(planSchedule({ ...OPTIONS, crowd: 1 }))).toBe(scheduleHash(usual));
  });

  it('has faults that overlap, and over several seeds every kind', () => {
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

  it('leaves the calms alone, but for one kill of a holder in each', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const { faults, setting, calmAt } = planSchedule({ ...OPTIONS, seed });
      const calms = lulls(OPTIONS, setting);
      const within = (from: number, to: number): string[] =>
        faults
          .filter(({ at, fault }) => at < to && at + plannedDuration(fault) > from)
          .map(({ fault }) => fault.kind);

      expect(calms.length).toBeGreaterThan(3);
      expect(calms.at(-1)).toEqual({ from: calmAt, to: OPTIONS.durationMs });
      for (const { from, to } of calms) expect(within(from, to)).toEqual(['holderKill']);
    }
  });

  it('does without links and leaders where there is one server', () => {
    const { faults } = planSchedule({ ...OPTIONS, servers: 1 });
    const onServers = faults.filter(({ fault }) => fault.on === 'servers' || fault.on === 'links');

    expect(new Set(onServers.map(({ fault }) => fault.kind))).toEqual(new Set(['serverKill', 'serverPause']));
  });
});
