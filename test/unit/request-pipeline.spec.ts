import { beforeEach, describe, expect, test } from 'vitest';
import { FrameSizeGuard } from '../../lib/zookeeper/client/frame-size-guard.js';
import { JuteReader } from '../../lib/zookeeper/client/jute-reader.js';
import { RequestPipeline, XidCounter } from '../../lib/zookeeper/client/request-pipeline.js';
import { SendWindow } from '../../lib/zookeeper/client/send-window.js';
import type { RequestPriority } from '../../lib/zookeeper/client/zookeeper-client.interface.js';
import { FakeClock, settled } from './fake-clock.js';

const T = 20_000;
const WINDOW = 64;
const NOTHING = Buffer.alloc(0);

/** A pipeline whose requests are identified by their paths; the test plays the server. */
class PipelineUnderTest {
  readonly clock = new FakeClock();
  /** Paths, in the order of sending. */
  readonly left: string[] = [];
  readonly #unanswered: number[] = [];
  readonly pipeline = new RequestPipeline({
    clock: this.clock,
    xids: new XidCounter(),
    window: new SendWindow(() => T),
    sizes: new FrameSizeGuard(this.clock, () => T),
    write: (frames) => this.#unanswered.push(...frames.map((frame) => frame.readInt32BE(4))),
  });

  ask(path: string, priority: RequestPriority = 'queue', isShared = false): Promise<number> {
    return new Promise((resolve, reject) => {
      this.pipeline.add({
        path,
        priority,
        lane: path.split('/')[1],
        isShared,
        build: () => ({ header: { xid: 0, type: 0 }, payload: null, toBuffer: () => this.#frame(path) }),
        read: () => this.left.length,
        settlement: { resolve, reject },
      });
    });
  }

  list(path: string, priority?: RequestPriority): Promise<number> {
    return this.ask(path, priority, true);
  }

  /** Answers the oldest request. Resolves when the requests that may follow were sent. */
  async answer(): Promise<void> {
    const xid = this.#unanswered.shift()!;
    this.pipeline.settle({ xid, zxid: 1n, err: 0 }, new JuteReader(NOTHING));
    await settled();
  }

  #frame(path: string): Buffer {
    if (path === '') throw new TypeError('no path');
    this.left.push(path);
    return Buffer.alloc(12);
  }
}

let subject: PipelineUnderTest;

beforeEach(() => {
  subject = new PipelineUnderTest();
});

/** The window is full, and two more requests wait. */
async function fullWindow(): Promise<{ ends: Promise<PromiseSettledResult<number>[]> }> {
  const asked = Array.from({ length: WINDOW + 2 }, (_, i) => subject.ask(`/${i}`));
  await settled();
  return { ends: Promise.allSettled(asked) };
}

describe('the window (H62)', () => {
  test('limits the requests in flight, and each answer permits one more', async () => {
    await fullWindow();
    expect(subject.left).toHaveLength(WINDOW);
    await subject.answer();
    expect(subject.left).toHaveLength(WINDOW + 1);
  });

  test('does not delay requests that keep the session, nor count them', async () => {
    await fullWindow();
    void subject.ask('/heartbeat', 'session');
    await settled();
    expect(subject.left.at(-1)).toBe('/heartbeat');
    await subject.answer();
    expect(subject.left).toHaveLength(WINDOW + 2);
  });

  test('holds nothing back when the session is about to end', async () => {
    await fullWindow();
    subject.pipeline.flush();
    expect(subject.left).toHaveLength(WINDOW + 2);
  });

  test('holds nothing back behind a list either when the session is about to end', async () => {
    void subject.list('/a');
    await settled();
    void subject.list('/a');
    await settled();
    void subject.ask('/a/release');
    await settled();
    expect(subject.left).toEqual(['/a']);
    subject.pipeline.flush();
    expect(subject.left).toEqual(['/a', '/a', '/a/release']);
  });
});

describe('lists of one path (H62)', () => {
  test('that have not been sent are one request, which answers all', async () => {
    const lists = [subject.list('/a'), subject.list('/a'), subject.list('/a')];
    await settled();
    expect(subject.left).toEqual(['/a']);
    await subject.answer();
    expect(await Promise.all(lists)).toEqual([1, 1, 1]);
  });

  test('are sent after all requests before the last of them, which must not get an older answer', async () => {
    void subject.list('/a');
    void subject.ask('/a/create');
    void subject.list('/a');
    await settled();
    expect(subject.left).toEqual(['/a/create', '/a']);
  });

  test('that have been sent do not answer later calls', async () => {
    const first = subject.list('/a');
    await settled();
    const second = subject.list('/a');
    await subject.answer();
    await subject.answer();
    expect(await Promise.all([first, second])).toEqual([1, 2]);
  });

  test('are in flight one at a time', async () => {
    void subject.list('/a');
    await settled();
    void subject.list('/a');
    void subject.list('/a', 'grant');
    await settled();
    expect(subject.left).toEqual(['/a']);
    await subject.answer();
    expect(subject.left).toEqual(['/a', '/a']);
  });

  test('that cannot be sent do not block others', async () => {
    await expect(subject.list('')).rejects.toMatchObject({ code: 'BAD_ARGUMENTS' });
    await expect(subject.list('')).rejects.toMatchObject({ code: 'BAD_ARGUMENTS' });
  });
});

test('the end of the connection fails all requests: those sent may have been executed, the others were not', async () => {
  const { ends } = await fullWindow();
  subject.pipeline.failAll(new Error('cut'));
  const reasons = (await ends).map((end) =>
    end.status === 'rejected' ? (end.reason as unknown) : undefined,
  );
  const loss = { code: 'CONNECTION_LOSS', recoverable: true };
  const sent = Array.from({ length: WINDOW }, () => ({ ...loss, mayHaveBeenApplied: true }));
  const kept = Array.from({ length: 2 }, () => ({ ...loss, mayHaveBeenApplied: false }));
  expect(reasons).toMatchObject([...sent, ...kept]);
});
