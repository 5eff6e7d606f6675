import { describe, expect, it } from 'vitest';
import { killHolder } from './kill-holder.js';
import { failuresOf } from './run-scenario.js';

/** With long names and a small jute.maxbuffer, hundreds of locks have the effect of tens of thousands. */
const SMALL = {
  names: 600,
  nameBytes: 1_020,
  timeout: 4_000,
  tick: 500,
  jvm: '-Djute.maxbuffer=400000 -Dzookeeper.jute.maxbuffer.extrasize=100000',
};

describe('a process with very many locks that is killed', { timeout: 120_000 }, () => {
  it('leaves a server that can restart, and locks that others can acquire (H61)', async () => {
    expect(await failuresOf(killHolder, SMALL)).toEqual([]);
  });

  it('leaves an ensemble that can restart, and locks that others can acquire (H61)', async () => {
    expect(await failuresOf(killHolder, { ...SMALL, servers: 3 })).toEqual([]);
  });

  it('does so even if most of its attempts were waiting, and others were still joining the queue (H61)', async () => {
    const waiters = { ...SMALL, names: 10, each: 80, killAt: '0.8' };
    expect(await failuresOf(killHolder, waiters)).toEqual([]);
  });
});
