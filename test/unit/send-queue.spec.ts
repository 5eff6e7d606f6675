import { describe, expect, test } from 'vitest';
import { PendingRequest } from '../../lib/zookeeper/client/pending-request.js';
import { SendQueue } from '../../lib/zookeeper/client/send-queue.js';
import type { RequestPriority } from '../../lib/zookeeper/client/zookeeper-client.interface.js';

const settlement = { resolve: () => {}, reject: () => {} };

/** A queue of requests that are identified by their paths. */
class QueueUnderTest {
  readonly queue = new SendQueue();

  add(path: string, lane = '', priority: RequestPriority = 'queue'): () => boolean {
    const pending = this.#request(path, lane, priority, false);
    this.queue.push(pending);
    return pending.addCaller({ settlement, sent: undefined });
  }

  /** A shared read of the path of the lane. */
  list(lane: string, priority: RequestPriority = 'queue'): () => boolean {
    let pending = this.queue.share(priority, lane, lane);
    if (pending === undefined) {
      pending = this.#request(lane, lane, priority, true);
      this.queue.push(pending);
    }
    return pending.addCaller({ settlement, sent: undefined });
  }

  /** Sends up to `count` requests and returns their paths. */
  send(count = Infinity, onlySession = false): (string | undefined)[] {
    const sent: (string | undefined)[] = [];
    while (sent.length < count) {
      const request = this.queue.shift(onlySession);
      if (request === undefined) break;
      request.leave();
      sent.push(request.path);
    }
    return sent;
  }

  #request(path: string, lane: string, priority: RequestPriority, isShared: boolean): PendingRequest {
    const build = () => ({ header: { xid: 0, type: 0 }, payload: null, toBuffer: () => Buffer.alloc(12) });
    return new PendingRequest({ path, build, read: () => undefined, settlement, priority, lane, isShared });
  }
}

const under = () => new QueueUnderTest();

test('requests are sent by priority: session, then grant, then queue', () => {
  const queue = under();
  queue.add('create', 'a', 'queue');
  queue.add('delete', 'a', 'grant');
  queue.add('heartbeat', '', 'session');
  expect(queue.send()).toEqual(['heartbeat', 'delete', 'create']);
});

test('a full window permits only requests that keep the session', () => {
  const queue = under();
  queue.add('delete', 'a', 'grant');
  expect(queue.send(1, true)).toEqual([]);
  queue.add('heartbeat', '', 'session');
  expect(queue.send(Infinity, true)).toEqual(['heartbeat']);
});

test('lanes take turns, and each keeps its order: many requests for one name do not delay the others (H62)', () => {
  const queue = under();
  for (let i = 0; i < 1_000; i += 1) queue.add(`hot ${i}`, '/hot');
  queue.add('cold 0', '/cold');
  queue.add('cold 1', '/cold');
  expect(queue.send(5)).toEqual(['hot 0', 'cold 0', 'hot 1', 'cold 1', 'hot 2']);
});

test('a request that is withdrawn before it was sent is never sent', () => {
  const queue = under();
  queue.add('a');
  const withdraw = queue.add('b');
  queue.add('c');
  expect(withdraw()).toBe(false);
  expect(queue.send()).toEqual(['a', 'c']);
});

test('a request that has been sent may be executed', () => {
  const queue = under();
  const withdraw = queue.add('a');
  queue.send();
  expect(withdraw()).toBe(true);
});

describe('lists of one path', () => {
  test('that have not been sent are one request, after all requests before the last call', () => {
    const queue = under();
    queue.add('create 0', '/a');
    queue.list('/a');
    queue.add('create 1', '/a');
    queue.list('/a');
    queue.list('/a');
    expect(queue.send()).toEqual(['create 0', 'create 1', '/a']);
  });

  test('are sent one at a time, whatever their priority; other paths continue', () => {
    const queue = under();
    queue.list('/a');
    expect(queue.send()).toEqual(['/a']);
    queue.list('/a');
    queue.list('/a', 'grant');
    queue.list('/b');
    expect(queue.send()).toEqual(['/b']);
    queue.queue.readEnded('/a');
    expect(queue.send()).toEqual(['/a']);
    queue.queue.readEnded('/a');
    expect(queue.send()).toEqual(['/a']);
  });

  test('that joined are sent if one of them is not withdrawn', () => {
    const queue = under();
    const first = queue.list('/a');
    const second = queue.list('/a');
    first();
    expect(queue.send()).toEqual(['/a']);
    expect(second()).toBe(true);
  });

  test('that are all withdrawn are not sent, and block no other request', () => {
    const queue = under();
    queue.list('/a')();
    queue.add('create', '/a');
    expect(queue.send()).toEqual(['create']);
  });

  test('do not wait indefinitely behind a stream of others: 128 at most', () => {
    const queue = under();
    for (let i = 0; i < 1_000; i += 1) {
      queue.add(`create ${i}`, '/a');
      queue.list('/a');
    }
    const sent: (string | undefined)[] = [];
    for (let batch = queue.send(); batch.length > 0; batch = queue.send()) {
      sent.push(...batch);
      queue.queue.readEnded('/a');
    }
    const lists = sent.flatMap((path, index) => (path === '/a' ? [index] : []));
    expect(lists).toEqual([129, 259, 389, 519, 649, 779, 909, 1_007]);
    expect(sent).toHaveLength(1_008);
  });
});

test('drain returns all requests once, including lists that waited for another list', () => {
  const queue = under();
  queue.list('/a');
  queue.send();
  queue.list('/a');
  queue.add('heartbeat', '', 'session');
  queue.add('create', '/b');
  expect([...queue.queue.drain()].map(({ path }) => path)).toEqual(['heartbeat', '/a', 'create']);
  expect(queue.send()).toEqual([]);
});
