import { Controller, Get } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { expect, test } from 'vitest';
import { LockModule, LockService, LockUnavailableError, Locked } from '../../lib/index.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { DEAD_PORT } from '../support/free-port.js';
import { startTestServer } from '../support/test-server.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { TestApp } from '../fixtures/test-app.js';

@Controller()
class Orders {
  @Get()
  @Locked('order')
  async pay() {
    return { paid: LockService.current()?.isHeld() };
  }

  @Get('at-once')
  @Locked('order', { wait: 0 })
  async payAtOnce() {}
}

test('without ZooKeeper the start fails within connectTimeout', async () => {
  const start = NestFactory.createApplicationContext(
    LockModule.forRoot({ host: '127.0.0.1', port: DEAD_PORT, connectTimeout: 500 }),
    { abortOnError: false, logger: false },
  );
  await expect(start).rejects.toBeInstanceOf(LockUnavailableError);
  await expect(start).rejects.toThrow('there was no connection to ZooKeeper for 500 ms');
  await expect(start).rejects.toThrow('Check that the servers of `connectString` run');
});

test('the error for a host that cannot be resolved contains its name and the reason', async () => {
  const start = NestFactory.createApplicationContext(
    LockModule.forRoot({ connectString: 'zk1.invalid:2181,zk2.invalid:2181', connectTimeout: 2_000 }),
    { abortOnError: false, logger: false },
  );
  const reason = /\((?:ENOTFOUND|EAI_AGAIN|no answer yet)\)/.source;
  await expect(start).rejects.toBeInstanceOf(LockUnavailableError);
  await expect(start).rejects.toThrow(
    new RegExp(
      `no connection to ZooKeeper for 2000 ms \\(the host names zk[12].invalid ${reason}, zk[12].invalid ${reason} could ` +
        'not be looked up\\)\\. Check the host names of `connectString`, and how this machine resolves them\\.$',
    ),
  );
});

test('a lazy application starts without ZooKeeper, answers 503, and works after ZooKeeper has started', async () => {
  // Reserves the port for the server that starts later.
  const target = { host: '127.0.0.1', port: DEAD_PORT };
  const { connectString } = endedWithTest(await FaultProxy.start(target));
  const app = await TestApp.start({
    imports: [LockModule.forRoot({ connectString, connectTimeout: 500, lazy: true })],
    controllers: [Orders],
  });
  const locks = app.get(LockService);
  const log = new EventRecorder(locks);
  expect(locks.state).toBe('connecting');

  for (const path of ['/', '/at-once']) {
    const response = await app.fetch(path);
    expect(response.status).toBe(503);
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThanOrEqual(1);
    expect(await response.json()).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
  }
  expect(log.types).toEqual(['failed', 'failed']);

  target.port = endedWithTest(await startTestServer()).port;
  await log.told('ready');
  const response = await app.fetch('/');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ paid: true });
});

test('a lazy application can be closed before it has connected', async () => {
  const app = await TestApp.start({
    imports: [LockModule.forRoot({ host: '127.0.0.1', port: DEAD_PORT, lazy: true })],
    controllers: [Orders],
  });
  const log = new EventRecorder(app.get(LockService));
  await app.close();
  expect(log.types).toEqual(['closed']);
  expect(log.completed).toBe(true);
});
