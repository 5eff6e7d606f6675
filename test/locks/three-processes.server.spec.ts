import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { ifThere } from '../support/if-there.js';
import { checkHistory } from '../support/lock-history.js';
import { LockProcess, type LoopOptions } from '../support/lock-process.js';
import { RawSession } from '../support/raw-session.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const REAP_INTERVAL_MS = 1_000;
const RESOURCES = ['order:1', 'order:2'];

describe('three processes that want the same two locks', { timeout: 180_000 }, () => {
  let server: TestServer;

  beforeAll(async () => {
    server = await startTestServer({ containerCheckIntervalMs: REAP_INTERVAL_MS });
  });

  afterAll(async () => server.giveBack());

  async function run(root: string, lock?: LoopOptions['lock']) {
    const options = { connectString: server.connectString, root };
    const processes = await Promise.all([1, 2, 3].map(() => LockProcess.start(options)));
    try {
      await Promise.all(
        processes.map((process) =>
          process.call({
            type: 'loop',
            loop: { resources: RESOURCES, acquisitions: 200, holdMs: 5, lock },
          }),
        ),
      );
      return processes.flatMap((process) => process.history);
    } finally {
      await Promise.all(processes.map((process) => process.close()));
    }
  }

  it('never hold one at the same time, get growing tokens, and leave nothing behind', async () => {
    const history = await run('/three');
    const { holds, violations } = checkHistory(history);

    expect(violations).toEqual([]);
    expect(holds).toHaveLength(600);
    expect(holds.every((hold) => hold.to !== undefined)).toBe(true);

    await using observer = await RawSession.connect(server);
    for (const resource of RESOURCES) {
      expect((await ifThere(observer.getChildren(`/three/${resource}`))) ?? []).toEqual([]);
    }
    await eventually(async () => (await observer.exists('/three')) === null, {
      timeoutMs: 20 * REAP_INTERVAL_MS,
      describe: 'the lock paths and their root to be reaped',
    });
  });

  it('are reported by the checker if their lock provides no mutual exclusion', async () => {
    const { violations } = checkHistory(await run('/none', 'none'));

    expect(violations.filter((violation) => violation.startsWith('S1'))).not.toEqual([]);
  });
});
