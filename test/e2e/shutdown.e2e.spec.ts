import { Controller, Get } from '@nestjs/common';
import { Agent, get, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { LockClosedError, LockModule, LockService, Locked } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Latch } from '../fixtures/latch.js';
import { Replica } from '../fixtures/replica.js';
import { HTTP_PLATFORMS, TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

class Work {
  readonly begun = new Latch();
  readonly finish = new Latch();
}

@Controller()
class Orders {
  constructor(private readonly work: Work) {}

  @Get('pay')
  @Locked('order')
  async pay() {
    this.work.begun.open();
    await this.work.finish.opened;
    const held = LockService.currentOrThrow();
    return { held: held.isHeld(), aborted: held.signal.aborted };
  }

  @Get('other')
  @Locked('other')
  async other() {}
}

describe.each(HTTP_PLATFORMS)('on $platform', ({ adapter }) => {
  async function start() {
    const options = zooKeeper.options();
    const replica = await Replica.open(options);
    const app = await TestApp.start(
      {
        imports: [LockModule.forRoot(options)],
        controllers: [Orders],
        providers: [Work],
      },
      { adapter },
    );
    const locks = app.get(LockService);
    return { app, replica, locks, work: app.get(Work), log: new EventRecorder(locks) };
  }

  /**
   * Starts to close the application; resolves, with the promise of the close, when the service grants no more locks.
   * This is when a waiter of another lock rejects; its node is deleted in the background.
   */
  async function close({ app, locks, replica }: { app: TestApp; locks: LockService; replica: Replica }) {
    await replica.hold('elsewhere');
    const waiting = locks.lock('elsewhere');
    const refused = expect(waiting).rejects.toBeInstanceOf(LockClosedError);
    const closed = app.close();
    await refused;
    return { closed };
  }

  test('a request in flight finishes under its lock, which is free immediately afterwards', async () => {
    const started = await start();
    const { app, replica, work, log } = started;
    const response = app.fetch('/pay');
    await work.begun.opened;
    const { closed } = await close(started);
    expect(await replica.isFree('order')).toBe(false);
    work.finish.open();
    expect((await response).status).toBe(200);
    expect(await (await response).json()).toEqual({ held: true, aborted: false });
    expect(await replica.isFree('order')).toBe(true);
    await closed;
    const own = log.types.filter((type) => !['waiting', 'failed'].includes(type));
    expect(own).toEqual(['acquired', 'released', 'closed']);
    expect(log.completed).toBe(true);
  });

  test('a request that waits for its lock is answered 503 immediately', async () => {
    const { app, replica, log } = await start();
    await replica.hold('order');
    const waiting = app.fetch('/pay');
    await log.told('waiting');
    const closed = app.close();
    const response = await waiting;
    expect(response.status).toBe(503);
    expect(response.headers.get('Retry-After')).toBe('1');
    expect(await response.json()).toEqual({
      statusCode: 503,
      code: 'LOCK_CLOSED',
      message: 'The server is shutting down. Try again.',
    });
    await closed;
    await replica.hasWaiters('order', 0);
    expect(log.types).toEqual(['waiting', 'failed', 'closed']);
  });

  test('a keep-alive client is answered 503 while others finish, and does not delay the shutdown', async () => {
    const started = await start();
    const { app, work } = started;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = async (path: string) => {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        get(`${app.url}${path}`, { agent }, resolve).once('error', reject);
      });
      return { status: response.statusCode, body: await text(response) };
    };
    expect(await ask('/other')).toMatchObject({ status: 200 });
    const paying = app.fetch('/pay');
    await work.begun.opened;
    const { closed } = await close(started);
    expect(await ask('/other')).toMatchObject({
      status: 503,
      body: expect.stringContaining('LOCK_CLOSED') as string,
    });
    work.finish.open();
    expect((await paying).status).toBe(200);
    await closed;
    agent.destroy();
  });

  test('after the shutdown all methods reject because the service is closed', async () => {
    const { app, locks } = await start();
    await app.close();
    for (const outcome of [
      locks.lock('x'),
      locks.tryLock('x'),
      locks.withLock('x', () => 'done'),
      locks.inspect('x'),
    ]) {
      await expect(outcome).rejects.toBeInstanceOf(LockClosedError);
    }
    expect(locks.state).toBe('closed');
  });
});
