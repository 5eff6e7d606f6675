import { Controller, Get } from '@nestjs/common';
import { describe, expect, test } from 'vitest';
import { LockModule, LockService, Locked } from '../../lib/index.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { Replica } from '../fixtures/replica.js';
import { HTTP_PLATFORMS, TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Controller()
class Orders {
  @Get('throws')
  @Locked('order', { maxWaiters: 2 })
  async throws() {
    return { done: true };
  }

  @Get('skips')
  @Locked('order', { maxWaiters: 2, onBusy: 'skip' })
  async skips() {
    return { done: true };
  }
}

describe.each(HTTP_PLATFORMS)('on $platform', ({ adapter }) => {
  async function startFull() {
    const options = zooKeeper.options();
    const replica = await Replica.open(options);
    const app = await TestApp.start(
      {
        imports: [LockModule.forRoot(options)],
        controllers: [Orders],
      },
      { adapter },
    );
    const held = await replica.hold('order');
    const waiting = [app.fetch('/throws'), app.fetch('/throws')];
    await hasWaiters(app.get(LockService), 'order', 2);
    return { app, held, replica, waiting };
  }

  test('a request beyond maxWaiters is answered 423 immediately, and the others are served', async () => {
    const { app, held, waiting } = await startFull();
    const refused = await app.fetch('/throws');
    expect(refused.status).toBe(423);
    expect(refused.headers.get('Retry-After')).toBe('1');
    expect(await refused.json()).toMatchObject({ code: 'LOCK_BUSY' });
    await hasWaiters(app.get(LockService), 'order', 2);
    await held.release();
    for (const response of await Promise.all(waiting)) expect(await response.json()).toEqual({ done: true });
  });

  test("onBusy: 'skip' skips the request beyond maxWaiters", async () => {
    const { app, held, waiting } = await startFull();
    expect(await (await app.fetch('/skips')).text()).toBe('');
    await held.release();
    await Promise.all(waiting);
  });
});
