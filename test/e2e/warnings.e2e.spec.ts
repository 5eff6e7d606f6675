import { Test } from '@nestjs/testing';
import { expect, test } from 'vitest';
import { LockModule, LockService, type LockModuleOptions } from '../../lib/index.js';
import { EmbeddedZooKeeper, LockTesting, LockTestingModule } from '../../lib/testing/index.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { startModule } from '../fixtures/start-module.js';
import { eventually } from '../support/eventually.js';

/** An application called 'app' in manual time. */
async function startManually(options: LockModuleOptions) {
  const logger = new RecordingLogger();
  const module = await Test.createTestingModule({
    imports: [
      LockModule.forRoot({ owner: 'app', ...options }),
      LockTestingModule.forRoot({ time: 'manual' }),
    ],
  })
    .setLogger(logger)
    .compile();
  endedWithTest({ [Symbol.asyncDispose]: () => module.close() });
  await module.init();
  return { logger, locks: module.get(LockService), testing: module.get(LockTesting) };
}

/** Queues waiters for 'order' behind a holder. */
async function queue(locks: LockService, count: number) {
  const held = await locks.lock('order');
  const waiting = Array.from({ length: count }, () => locks.lock('order'));
  await eventually(async () => (await locks.inspect('order')).waiters.length === count);
  return { held, waiting };
}

test('slowWaitWarning sets when a wait is logged, once for all waiting calls', async () => {
  const { logger, locks, testing } = await startManually({ slowWaitWarning: 5_000 });
  const { held, waiting } = await queue(locks, 2);
  await testing.advance(4_999);
  expect(logger.messages('warn')).toEqual([]);
  await testing.advance(1);
  expect(logger.lines.filter(({ level }) => level === 'warn')).toEqual([
    {
      level: 'warn',
      message:
        "Still waiting for lock 'order' after 5 s, behind app; 2 calls of this process are waiting for it",
      context: 'LockService',
    },
  ]);
  await testing.advance(60_000);
  expect(logger.messages('warn')).toHaveLength(1);
  await held.release();
  for (const next of waiting) await (await next).release();
});

test.for([0, Infinity])('slowWaitWarning: %d logs no wait', async (slowWaitWarning) => {
  const { logger, locks, testing } = await startManually({ slowWaitWarning });
  const { held, waiting } = await queue(locks, 1);
  await testing.advance(31_000);
  expect(logger.messages('warn')).toEqual([]);
  await held.release();
  await (await waiting[0]!).release();
});

test('a lazy application warns about missing permissions after it has connected', async () => {
  const readOnly = [{ scheme: 'world', id: 'anyone', permissions: 1 }];
  const { logger } = await startManually({ lazy: true, acl: readOnly });
  expect(await eventually(() => logger.messages('warn').at(-1) ?? false)).toBe(
    'Locks are unavailable: the session has no permission to create nodes below lock paths that it has created itself ' +
      '(NO_AUTH). Grant its own credentials read, create and delete permissions in the option `acl`.',
  );
  expect(logger.messages('warn')).toHaveLength(1);
});

test('a lazy application warns about a missing chroot after it has connected', async () => {
  const zookeeper = endedWithTest(await EmbeddedZooKeeper.start({ onNotice: false }));
  const logger = new RecordingLogger();
  await startModule({ connectString: `${zookeeper.connectString}/shop`, lazy: true }, {}, logger);
  expect(await eventually(() => logger.messages('warn').at(-1) ?? false)).toBe(
    "The chroot '/shop' of `connectString` does not exist on the servers. If the spelling is correct, create it, for " +
      'example with "zkCli.sh create /shop" or with the option `createChroot: true`',
  );
});
