import { Controller, Get } from '@nestjs/common';
import { expect, test } from 'vitest';
import { LockModule, LockService } from '../../lib/index.js';
import { startModule } from '../fixtures/start-module.js';
import { HTTP_PLATFORMS, TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

@Controller()
class Locks {
  @Get()
  current(): string {
    return LockService.current()?.resource ?? 'none';
  }
}

test.each(HTTP_PLATFORMS)(
  'requests to a server that began to listen under a lock are not under it any more after its end ($platform)',
  async ({ adapter }) => {
    const starter = await startModule(zooKeeper.options(), {});
    const imports = [LockModule.forRoot(zooKeeper.options())];
    const ask = async (app: TestApp): Promise<string> => (await app.fetch('/')).text();

    const app = await starter.get(LockService).withLock('migrations', async () => {
      const started = await TestApp.start({ controllers: [Locks], imports }, { adapter });
      // Node runs the handlers of a server in the context in which it began to listen.
      expect(await ask(started)).toBe('migrations');
      return started;
    });
    expect(await ask(app)).toBe('none');
  },
);
