import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { freePort } from '../support/free-port.js';
import { killed, opened, startBoxOffice } from './box-office-process.js';

test('a box office that runs the ZooKeeper does not outlive its parent', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'box-office-'));
  endedWithTest({ [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) });
  const child = startBoxOffice({ EMBEDDED_PORT: String(await freePort()), BOX_OFFICE_DATA: directory });
  endedWithTest({ [Symbol.asyncDispose]: () => killed(child) });
  await opened(child);

  const ended = once(child, 'exit', { signal: AbortSignal.timeout(30_000) });
  child.disconnect();
  expect(await ended).toEqual([0, null]);
});
