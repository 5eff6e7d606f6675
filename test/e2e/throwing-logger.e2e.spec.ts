import { filter, firstValueFrom } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { LockService, type LockModuleOptions } from '../../lib/index.js';
import { RecordingLogger, type LogLine } from '../fixtures/recording-logger.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

/** Throws instead of writing a line of the lock service with this level. Nest itself needs a logger that works. */
class FullDisk extends RecordingLogger {
  readonly refused: unknown[] = [];

  constructor(level: LogLine['level']) {
    super();
    this[level] = (message: unknown, ...rest: unknown[]) => {
      if (rest.at(-1) !== LockService.name) return;
      this.refused.push(message);
      throw new Error('ENOSPC: no space left on device');
    };
  }
}

async function start(logger: FullDisk, options: LockModuleOptions): Promise<LockService> {
  const module = await startModule(zooKeeper.options(options), {}, logger);
  return module.get(LockService);
}

describe.for([true, false])('a logger that throws, localQueue: %s', (localQueue) => {
  test('when a call waits for its own lock, which is free for others afterwards', async () => {
    const logger = new FullDisk('warn');
    const locks = await start(logger, { localQueue });
    await locks.withLock('order', async () => {
      const queued = firstValueFrom(locks.events$.pipe(filter(({ type }) => type === 'waiting')));
      const left = new AbortController();
      const inner = locks.lock('order', { signal: left.signal });
      await Promise.race([queued, inner]);
      left.abort(new Error('waited long enough'));
      await expect(inner).rejects.toThrow('waited long enough');
    });
    expect(logger.refused).toEqual([expect.stringContaining('Possible self-deadlock')]);
    const next = await locks.lock('order', { wait: 5_000 });
    expect(next.isHeld()).toBe(true);
    await next.release();
  });

  test('when the service connects, which it does', async () => {
    const logger = new FullDisk('log');
    const locks = await start(logger, { localQueue });
    expect(logger.refused).toContainEqual(expect.stringContaining('Connecting to ZooKeeper'));
    expect(await locks.withLock('order', { wait: 5_000 }, () => 'done')).toBe('done');
  });
});
