import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { checkHistory } from '../support/lock-history.js';
import { LockProcess } from '../support/lock-process.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const SESSION_TIMEOUT_MS = 4_000;

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(async () => server.stop());

it('processes that want the same locks in opposite orders all get on, even after one was killed (H60)', async () => {
  const options = { connectString: server.connectString, sessionTimeout: SESSION_TIMEOUT_MS };
  const start = (): Promise<LockProcess> => LockProcess.start(options);
  await using forwards = await start();
  await using backwards = await start();
  await using killed = await start();
  const loop = (process: LockProcess, resources: readonly string[]): Promise<unknown> =>
    process.call({ type: 'loop', loop: { resources, acquisitions: 60, holdMs: 1, lock: 'together' } });
  const held = (process: LockProcess): number =>
    process.history.filter(({ what }) => what === 'acquired').length;

  const loops = [loop(forwards, ['a', 'b', 'c']), loop(backwards, ['c', 'b', 'a'])];
  loop(killed, ['b', 'c', 'a']).catch(() => {});
  await eventually(() => held(killed) > 30);
  await killed.kill();
  await Promise.all(loops);

  const { violations } = checkHistory([forwards, backwards].flatMap(({ history }) => history));
  expect(violations).toEqual([]);
  expect([held(forwards), held(backwards)]).toEqual([180, 180]);
});
