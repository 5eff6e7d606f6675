import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installed } from '../support/installed.js';
import { repeats } from '../support/repeats.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { curator } from './installations.js';
import { sharePath } from './shared-path.js';

const GRANTS_PER_SEAT = 60;
const KILLS = [
  { holder: 'ours-1', waiter: 'curator-1' },
  { holder: 'curator-2', waiter: 'ours-2' },
] as const;
/** With nobody killed, and with holders and waiters of both libraries killed. */
const RUNS = Array.from({ length: repeats(1) }).flatMap(() => [[], KILLS]);

describe.skipIf(!installed(curator))('two of our processes and two of Curator', { timeout: 180_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server?.giveBack());

  it.for(RUNS)('share 240 grants of a mutex, with these killed: %j', async (kills) => {
    const report = await sharePath(server, { modes: ['exclusive'], grantsPerSeat: GRANTS_PER_SEAT, kills });
    expect(report).toMatchObject({ overlaps: [], left: [], grants: [60, 60, 60, 60] });
    expect(report.kills).toHaveLength(2 * kills.length);
    expect(report.changes).toBeGreaterThan(3);
  });

  it.for(RUNS)('share 240 grants of a read/write lock, with these killed: %j', async (kills) => {
    const modes = ['read', 'write'] as const;
    const report = await sharePath(server, { modes, grantsPerSeat: GRANTS_PER_SEAT, kills, meet: 4 });
    expect(report).toMatchObject({ overlaps: [], left: [], grants: [60, 60, 60, 60] });
    expect(report.kills).toHaveLength(2 * kills.length);
    expect(report.sharedReads).toBeGreaterThan(2);
  });
});
