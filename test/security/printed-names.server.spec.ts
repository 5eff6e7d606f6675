import { Logger } from '@nestjs/common';
import { expect, test } from 'vitest';
import { createLockService, type LockService } from '../../lib/index.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { eventually } from '../support/eventually.js';
import { startTestServer } from '../support/test-server.js';

const FORGED = '\r\n[Nest] ERROR \u001b[2J\u2028\u202e';
const PRINTED = String.raw`\u{d}\u{a}[Nest] ERROR \u{1b}[2J\u{2028}\u{202e}`;

async function messageOf(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.then(
    () => new Error('no error'),
    (reason: unknown) => reason,
  );
  return (error as Error).message;
}

/** Waits for a lock that this code holds, until the log has the warning. */
async function waitForItself(locks: LockService, resource: string, log: RecordingLogger): Promise<void> {
  const given = new AbortController();
  await locks.withLock(resource, { purpose: `pay${FORGED}` }, async () => {
    const waiting = messageOf(locks.lock(resource, { signal: given.signal }));
    await eventually(() => log.messages('warn').some((line) => line.includes('Possible self-deadlock')));
    given.abort();
    await waiting;
  });
}

async function outliveTtl(locks: LockService, resource: string): Promise<void> {
  const work = locks.withLock(resource, { ttl: 1 }, ({ signal }) => eventually(() => signal.aborted));
  await messageOf(work);
}

test('no name adds a line to a log, moves the cursor or reverses a message', async () => {
  await using server = await startTestServer();
  const log = new RecordingLogger();
  Logger.overrideLogger(log);
  const resource = `order${FORGED}`;
  const options = { connectString: server.connectString, owner: `clerk${FORGED}`, drainTimeout: 0 };
  const locks = await createLockService(options);

  const held = await locks.lock(resource);
  const messages = [
    await messageOf(locks.lock(resource, { wait: 0 })),
    await messageOf(locks.lock(resource, { wait: 1 })),
    await messageOf(locks.lock(`${FORGED}\ud800`)),
    await messageOf(locks.lock('order', { mode: FORGED as never })),
  ];
  await waitForItself(locks, `nested${FORGED}`, log);
  await outliveTtl(locks, `late${FORGED}`);
  await locks.close();
  messages.push((held.signal.reason as Error).message, await messageOf(locks.lock(resource)));

  const lines = [...messages, ...log.lines.map(({ message }) => String(message))];
  for (const expected of [
    'busy, held by clerk',
    'which its caller pay',
    'ttl: released',
    'was lost (shutdown)',
  ])
    expect(
      lines.some((line) => line.includes(expected) && line.includes(PRINTED)),
      expected,
    ).toBe(true);
  expect(lines.filter((line) => line.includes(PRINTED)).length).toBeGreaterThanOrEqual(8);
  expect(lines.filter((line) => /[^ -~]/.test(line))).toEqual([]);
});
