import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedZooKeeper } from '../../lib/testing/index.js';
import { Liar } from './corrupting-proxy.js';
import { Play } from './scenario-run.js';
import { create2, exists, FLAGS, getChildren2, getData, multi, remove, setData } from './protocol/calls.js';

/** Each lie is told about each frame that one of the clients gets; the connection before is the steward's. */
const CONNECTION = 1;
const FRAMES = 12;

const LIES: Record<string, (frame: Buffer) => Buffer> = {
  'its transaction': (frame) => flipped(frame, 4 + 4 + 7),
  'its result': (frame) => flipped(frame, 4 + 4 + 8 + 3),
  'its last byte': (frame) => flipped(frame, frame.length - 1),
  'its existence': () => Buffer.alloc(0),
  'its uniqueness': (frame) => Buffer.concat([frame, frame]),
};

function flipped(frame: Buffer, at: number): Buffer {
  const spoiled = Buffer.from(frame);
  spoiled[at]! ^= 1;
  return spoiled;
}

async function script(play: Play): Promise<void> {
  const a = await play.connect('a');
  await a.does(create2('~/x', { data: 'data' }), getData('~/x', true), setData('~/x', 'more'));
  await a.does(exists('~/x', true), multi(create2('~/y'), remove('~/x')), getChildren2('~'));
  await a.pipelines(create2('~/s-', { flags: FLAGS.ephemeralSequential }), getData('~/none'), remove('~/y'));
}

describe('the judge', () => {
  let truth: EmbeddedZooKeeper;
  let expected: string;
  let plays = 0;

  beforeAll(async () => {
    truth = await EmbeddedZooKeeper.start({ onNotice: false });
    expected = await Play.perform(truth, '/scenario', script);
  });
  afterAll(() => truth.stop());

  it('finds two runs on one server equal', async () => {
    expect(await Play.perform(truth, `/again-${(plays += 1)}`, script)).toBe(expected);
  });

  for (const [what, spoil] of Object.entries(LIES)) {
    it(`notices a lie about any frame: ${what}`, async () => {
      const unnoticed: number[] = [];
      for (let frame = 1; frame < FRAMES; frame++) {
        await using liar = await Liar.start(truth, { connection: CONNECTION, frame, spoil });
        const heard = await Play.perform(liar, `/lie-${(plays += 1)}`, script);
        expect(liar.lied).toBe(true);
        if (heard === expected) unnoticed.push(frame);
      }
      expect(unnoticed).toEqual([]);
    });
  }
});
