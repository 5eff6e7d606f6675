import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { expect, test } from 'vitest';
import { LockService, type HeldLock } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { startModule } from '../fixtures/start-module.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

/** Longer than a test may take: one that ends has not waited for it. */
const UNENDING_MS = 120_000;

/** Holds a lock from the start of the application until one of the hooks of its end. */
@Injectable()
class Owner implements OnApplicationBootstrap {
  private held!: HeldLock;

  constructor(private readonly locks: LockService) {}

  async onApplicationBootstrap(): Promise<void> {
    this.held = await this.locks.lock('device');
  }

  protected async release(): Promise<void> {
    await this.held.release();
  }
}

class ReleasedAtDestroy extends Owner {
  onModuleDestroy = () => this.release();
}

class ReleasedBeforeShutdown extends Owner {
  beforeApplicationShutdown = () => this.release();
}

class ReleasedAtShutdown extends Owner {
  onApplicationShutdown = () => this.release();
}

async function close(owner: typeof Owner, drainTimeout: number, isGlobal: boolean) {
  const module = await startModule(
    { ...zooKeeper.options({ drainTimeout }), isGlobal },
    { providers: [owner] },
  );
  const log = new EventRecorder(module.get(LockService));
  await module.close();
  return log;
}

test.for([
  [ReleasedAtDestroy, true],
  [ReleasedAtDestroy, false],
  [ReleasedBeforeShutdown, true],
  [ReleasedBeforeShutdown, false],
] as const)(
  '%o: the lock is released without a loss, and nothing waits (global: %s)',
  async ([owner, isGlobal]) => {
    const log = await close(owner, UNENDING_MS, isGlobal);
    expect(log.types).toEqual(['released', 'closed']);
  },
);

test('in onApplicationShutdown a release is too late: drainTimeout has passed, and the lock is lost', async () => {
  const log = await close(ReleasedAtShutdown, 300, true);
  expect(log.ofType('lost')).toMatchObject([{ reason: 'shutdown' }]);
});
