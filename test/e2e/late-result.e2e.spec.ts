import { once } from 'node:events';
import { Readable } from 'node:stream';
import { Controller, Get, Injectable, StreamableFile } from '@nestjs/common';
import { describe, expect, test } from 'vitest';
import { LockModule, Locked, LockService } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { HTTP_PLATFORMS, TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const zooKeeper = useZooKeeper();

function openFile(): Readable {
  return new Readable({ read: () => {} });
}

/** A person frees the lock of the code around it. Resolves when that knows. */
async function untilLost(locks: LockService): Promise<void> {
  const { resource, fencingToken, signal } = LockService.currentOrThrow();
  const lost = once(signal, 'abort');
  await locks.forceRelease(resource, { token: fencingToken });
  await lost;
}

@Controller()
class Exports {
  readonly file = openFile();

  constructor(private readonly locks: LockService) {}

  @Locked('export', { failure: 'closed', owner: 'exporter' })
  @Get('export')
  async export() {
    await untilLost(this.locks);
    return new StreamableFile(this.file);
  }
}

@Injectable()
class Connections {
  readonly shared = openFile();

  constructor(private readonly locks: LockService) {}

  @Locked('connection', { failure: 'closed', owner: 'opener' })
  async open() {
    await untilLost(this.locks);
    return this.shared;
  }
}

describe.each(HTTP_PLATFORMS)('on $platform, a result that comes after the lock is lost', ({ adapter }) => {
  test('is closed if it is the answer of a handler: nobody else would', async () => {
    const imports = [LockModule.forRoot(zooKeeper.options())];
    const app = await TestApp.start({ imports, controllers: [Exports] }, { adapter });
    const { status } = await app.fetch('/export');
    expect(status).toBeGreaterThanOrEqual(500);
    await eventually(() => app.get(Exports).file.destroyed);
  });

  test('is left alone if it is that of another method: others may use it', async () => {
    const imports = [LockModule.forRoot(zooKeeper.options())];
    const app = await TestApp.start({ imports, providers: [Connections] }, { adapter });
    const connections = app.get(Connections);
    await expect(connections.open()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    // Released when the work has ended, and so after its result has come.
    await app.get(LockService).withLock('connection', async () => {});
    expect(connections.shared.destroyed).toBe(false);
  });
});
