import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installed } from '../support/installed.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { curator } from './installations.js';
import { sharePath } from './shared-path.js';

const GRANTS_PER_SEAT = 8;

/** `members.soak.spec.ts` does the same at length. */
describe.skipIf(!installed(curator))('two of our processes and two of Curator', { timeout: 180_000 }, () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer();
  });
  afterAll(() => server?.giveBack());

  it('share a mutex, although a holder and a waiter are killed', async () => {
    const kills = [{ holder: 'ours-1', waiter: 'curator-2' }] as const;
    const report = await sharePath(server, { modes: ['exclusive'], grantsPerSeat: GRANTS_PER_SEAT, kills });
    expect(report).toMatchObject({ overlaps: [], left: [], grants: [8, 8, 8, 8] });
    expect(report.changes).toBeGreaterThan(1);
  });

  it('share a read/write lock, whose readers hold it together, although a holder and a waiter are killed', async () => {
    const kills = [{ holder: 'curator-1', waiter: 'ours-2' }] as const;
    const modes = ['read', 'write'] as const;
    const report = await sharePath(server, { modes, grantsPerSeat: GRANTS_PER_SEAT, kills, meet: 4 });
    expect(report).toMatchObject({ overlaps: [], left: [], grants: [8, 8, 8, 8] });
    expect(report.sharedReads).toBeGreaterThan(2);
  });

  it('overlap on two paths, and are seen to', async () => {
    const report = await sharePath(server, { modes: ['exclusive'], grantsPerSeat: 2, apart: true, meet: 2 });
    expect(report.grants).toEqual([2, 2, 2, 2]);
    expect(report.overlaps.length).toBeGreaterThan(0);
  });
});
