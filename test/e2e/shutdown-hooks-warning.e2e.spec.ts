import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LockModule, LockService, type LockModuleOptions } from '../../lib/index.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();
const WARNING = expect.stringMatching(/^Shutdown hooks are off/) as string;

function listenToSigterm(): void {
  const listener = () => {};
  process.on('SIGTERM', listener);
  onTestFinished(() => void process.off('SIGTERM', listener));
}

async function warnings(
  overrides: LockModuleOptions,
  configure: (app: INestApplication) => unknown = () => {},
): Promise<string[]> {
  const logger = new RecordingLogger();
  const imports = [LockModule.forRoot(zooKeeper.options(overrides))];
  await TestApp.start({ imports }, { logger, configure });
  return logger.messages('warn');
}

test('an application without shutdown hooks logs a warning, even if other code listens for SIGTERM', async () => {
  listenToSigterm();
  expect(await warnings({})).toEqual([WARNING]);
});

test('an application with shutdown hooks logs no warning', async () => {
  expect(await warnings({}, (app) => app.enableShutdownHooks())).toEqual([]);
});

test('hooks for signals other than SIGTERM do not count', async () => {
  expect(await warnings({}, (app) => app.enableShutdownHooks(['SIGINT']))).toEqual([WARNING]);
});

test('an application that closes itself on SIGTERM logs no warning', async () => {
  expect(await warnings({}, listenToSigterm)).toEqual([]);
});

test('shutdownHookWarning: false turns the warning off', async () => {
  expect(await warnings({ shutdownHookWarning: false })).toEqual([]);
});

test('an application context that waits for a lock while it closes logs no warning', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const logger = new RecordingLogger();
  const options = zooKeeper.options({ drainTimeout: 60_000 });
  const app = await NestFactory.createApplicationContext(LockModule.forRoot(options), { logger });
  const held = await app.get(LockService).lock('order');
  const closed = app.close();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(logger.messages('warn').filter((text) => text.startsWith('Shutdown hooks'))).toEqual([]);
  await held.release();
  await closed;
});

test('the start of an application context logs no warning', async () => {
  const logger = new RecordingLogger();
  const app = await NestFactory.createApplicationContext(LockModule.forRoot(zooKeeper.options()), { logger });
  endedWithTest({ [Symbol.asyncDispose]: () => app.close() });
  expect(logger.messages('warn')).toEqual([]);
});
