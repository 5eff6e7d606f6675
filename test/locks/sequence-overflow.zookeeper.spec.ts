import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLockService, type LockService } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { checkHistory } from '../support/lock-history.js';
import { LockProcess } from '../support/lock-process.js';
import { RawSession } from '../support/raw-session.js';
import { setChildVersion } from '../support/snapshot.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const LAST_SEQUENCE = 2 ** 31 - 1;

describe('a lock path at the end of its sequence numbers (H20)', { timeout: 240_000 }, () => {
  let server: ZooKeeperServer;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'overflow-'));
    server = await ZooKeeperServer.start({
      dataDir,
      jvm: ['-Dzookeeper.digest.enabled=false'],
    });
  });

  afterAll(async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  /** A permanent child prevents the server from reaping the path, and with it the sequence counter. */
  async function lockPathNearTheEnd(root: string, resource: string): Promise<void> {
    await using session = await RawSession.connect(server);
    await session.create2(root);
    await session.create2(`${root}/${resource}`);
    await server.restart();
    await server.kill();
    await setChildVersion(dataDir, `${root}/${resource}`, LAST_SEQUENCE - 7);
    await server.restart();
  }

  it('is held by one of three processes at a time, with growing tokens', async () => {
    await lockPathNearTheEnd('/three', 'order');
    const options = { connectString: server.connectString, root: '/three' };
    const processes = await Promise.all([1, 2, 3].map(() => LockProcess.start(options)));
    await Promise.all(
      processes.map((process) =>
        process.call({ type: 'loop', loop: { resources: ['order'], acquisitions: 30, holdMs: 2 } }),
      ),
    );
    await Promise.all(processes.map((process) => process.close()));

    const { holds, violations } = checkHistory(processes.flatMap((process) => process.history));
    expect(violations).toEqual([]);
    expect(holds).toHaveLength(90);
  });

  it('is granted in the order of the requests, regardless of the sequence numbers', async () => {
    await lockPathNearTheEnd('/order', 'order');
    const locks: LockService = await createLockService({
      connectString: server.connectString,
      root: '/order',
      localQueue: false,
    });
    const holder = await locks.lock('order');
    const served: number[] = [];
    // All at once: pipelined creates make the numbers turn negative.
    const waiters = Array.from({ length: 20 }, (_, i) => locks.withLock('order', () => void served.push(i)));
    await using observer = await RawSession.connect(server);
    // All in the queue at once: numbers become negative, or occur twice, only behind the last valid one.
    const queue = await eventually(async () => {
      const names = await observer.getChildren('/order/order');
      return names.length === 1 + waiters.length && names;
    });
    const numbers = queue.map((name) => Number(/-lock-(-?\d+)$/.exec(name)![1]));

    await holder.release();
    await Promise.all(waiters);

    expect(new Set(numbers).size < numbers.length || Math.min(...numbers) < 0).toBe(true);
    expect(served).toEqual(Array.from({ length: 20 }, (_, i) => i));
    await locks.close();
  });
});
