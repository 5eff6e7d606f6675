import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedZooKeeper } from '../../lib/testing/index.js';
import { CorruptingProxy } from './corrupting-proxy.js';
import { ScenarioRun } from './scenario-run.js';
import { create2, exists, FLAGS, getChildren2, getData, multi, remove, setData } from './protocol/calls.js';

/** Each corruption is applied to each frame of this connection; connection 0 belongs to the setup client. */
const CONNECTION = 1;
const FRAMES = 12;

const CORRUPTIONS: Record<string, (frame: Buffer) => Buffer> = {
  zxid: (frame) => flipped(frame, 4 + 4 + 7),
  'error code': (frame) => flipped(frame, 4 + 4 + 8 + 3),
  'last byte': (frame) => flipped(frame, frame.length - 1),
  'frame missing': () => Buffer.alloc(0),
  'frame sent twice': (frame) => Buffer.concat([frame, frame]),
};

function flipped(frame: Buffer, at: number): Buffer {
  const spoiled = Buffer.from(frame);
  spoiled[at]! ^= 1;
  return spoiled;
}

async function script(run: ScenarioRun): Promise<void> {
  const a = await run.connect('a');
  await a.does(create2('~/x', { data: 'data' }), getData('~/x', true), setData('~/x', 'more'));
  await a.does(exists('~/x', true), multi(create2('~/y'), remove('~/x')), getChildren2('~'));
  await a.pipelines(create2('~/s-', { flags: FLAGS.ephemeralSequential }), getData('~/none'), remove('~/y'));
}

describe('the comparison of transcripts', () => {
  let truth: EmbeddedZooKeeper;
  let expected: string;
  let runs = 0;

  beforeAll(async () => {
    truth = await EmbeddedZooKeeper.start({ onNotice: false });
    expected = await ScenarioRun.perform(truth, '/scenario', script);
  });
  afterAll(() => truth.stop());

  it('finds two runs on the same server equal', async () => {
    expect(await ScenarioRun.perform(truth, `/again-${(runs += 1)}`, script)).toBe(expected);
  });

  for (const [what, spoil] of Object.entries(CORRUPTIONS)) {
    it(`detects a corrupted frame: ${what}`, async () => {
      const undetected: number[] = [];
      for (let frame = 1; frame < FRAMES; frame++) {
        await using proxy = await CorruptingProxy.start(truth, { connection: CONNECTION, frame, spoil });
        const actual = await ScenarioRun.perform(proxy, `/corruption-${(runs += 1)}`, script);
        expect(proxy.corrupted).toBe(true);
        if (actual === expected) undetected.push(frame);
      }
      expect(undetected).toEqual([]);
    });
  }
});
