import { Logger } from '@nestjs/common';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLockService, LockConfigurationError, type LockModuleOptions } from '../../lib/index.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { ON_FIRST, ON_SECOND } from '../fixtures/spread-locks.js';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { freePort } from '../support/free-port.js';
import { ifThere } from '../support/if-there.js';
import { RawSession } from '../support/raw-session.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const SESSION_TIMEOUT_MS = 10_000;

describe('of two ensembles, one that is down', () => {
  let port: number;
  let servers: readonly [TestServer, TestServer];
  /** In front of the second ensemble. */
  let proxy: FaultProxy;

  beforeEach(async () => {
    port = await freePort();
    servers = await Promise.all([startTestServer(), startTestServer({ port })]);
    for (const server of servers) endedWithTest(server);
    proxy = endedWithTest(await FaultProxy.start(servers[1]));
  });

  async function start(overrides?: LockModuleOptions) {
    const options: LockModuleOptions = {
      connectString: [servers[0].connectString, proxy.connectString],
      sessionTimeout: SESSION_TIMEOUT_MS,
      drainTimeout: 0,
      ...overrides,
    };
    const locks = endedWithTest(await createLockService(options));
    return { locks, events: new EventRecorder(locks) };
  }

  it('loses its own locks by their deadline, and refuses new ones; the others go on', async () => {
    // Only calls without contact are to fail soon.
    const { locks, events } = await start({ lazy: true, connectTimeout: 1_000 });
    await events.told('ready');
    const [kept, lost] = [await locks.lock(ON_FIRST), await locks.lock(ON_SECOND)];
    await servers[1].stop();
    await events.told('lost');

    expect(events.ofType('lost')).toMatchObject([{ resource: ON_SECOND, reason: 'session' }]);
    expect([kept.isHeld(), lost.isHeld()]).toEqual([true, false]);
    const refused = locks.lock(ON_SECOND);
    await expect(refused).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', resource: ON_SECOND });
    await expect(refused).rejects.toThrow(/no connection to ZooKeeper for 1000 ms \(.*127\.0\.0\.1:\d+/);
    await kept.release();
    const again = await locks.lock(ON_FIRST);
    expect(again.isHeld()).toBe(true);
    await expect(locks.lock([ON_FIRST, ON_SECOND], { reentrant: true })).rejects.toThrow(`'${ON_SECOND}'`);
    expect(again.isHeld()).toBe(true);
    expect(locks.state).toBe('suspended');
    expect(events.ofType('sessionExpired')).toEqual([]);
  });

  it('suspends the service, which names it, until it is reached again', async () => {
    const { locks, events } = await start({ sessionTimeout: 20_000 });
    const held = await locks.lock(ON_SECOND);
    proxy.refuse();
    const { error } = await events.told('suspended');
    expect(error.message).toMatch(`connectString[1] (${proxy.connectString}): `);
    expect(await locks.withLock(ON_FIRST, () => 'goes on')).toBe('goes on');
    await proxy.accept();
    await events.told('resumed');
    expect(held.isHeld()).toBe(true);
    expect(events.types.filter((type) => /suspended|resumed|ready|expired/i.test(type))).toEqual([
      'suspended',
      'resumed',
    ]);
  });

  it('keeps a service from starting, unless it is lazy; then the others work before it is ready', async () => {
    proxy.refuse();
    const connectTimeout = 3_000;
    await expect(start({ connectTimeout })).rejects.toThrow(
      `the last attempt, at ${proxy.connectString}, failed`,
    );
    // The start has marked nothing: replicas with another list go on.
    await using alone = await createLockService({ connectString: servers[0].connectString });
    expect(await alone.withLock(ON_FIRST, () => 'works')).toBe('works');

    const { locks, events } = await start({ lazy: true, connectTimeout });
    expect(await locks.withLock(ON_FIRST, () => 'works')).toBe('works');
    await expect(locks.lock(ON_SECOND)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    expect([locks.state, ...events.ofType('ready')]).toEqual(['connecting']);
    await proxy.accept();
    await events.told('ready');
    expect(await locks.withLock(ON_SECOND, () => 'works')).toBe('works');
  });

  it('does not keep a service from closing, which frees the locks on the others at once', async () => {
    const { locks } = await start({ sessionTimeout: 20_000 });
    await locks.lock([ON_FIRST, ON_SECOND]);
    await using raw = await RawSession.connect(servers[0]);
    expect(await raw.getChildren(`/locks/${ON_FIRST}`)).toHaveLength(1);
    proxy.blackHole();
    await locks.close();
    expect((await ifThere(raw.getChildren(`/locks/${ON_FIRST}`))) ?? []).toEqual([]);
    proxy.heal();
  });

  describe('and has lost its data', () => {
    /** Leaves the service without contact to the second ensemble, which is empty. */
    async function loseData(): Promise<void> {
      proxy.refuse();
      await servers[1].stop();
      endedWithTest(await startTestServer({ port }));
    }
    const second = () => RawSession.connect({ host: '127.0.0.1', port });

    it('is marked again before the next grant', async () => {
      const { locks, events } = await start();
      await locks.withLock(ON_SECOND, () => {});
      await loseData();
      await proxy.accept();
      await events.told('sessionExpired');
      expect((await locks.lock(ON_SECOND)).isHeld()).toBe(true);
      await using raw = await second();
      expect((await raw.getData('/locks/.ensemble')).data.toString()).toBe('{"ensemble":1,"of":2}');
    });

    it('is refused if a service with another list was first', async () => {
      const { locks, events } = await start();
      await loseData();
      const other = await createLockService({
        connectString: [servers[1].connectString, `${servers[0].connectString}/other`],
        createChroot: true,
      });
      await other.close();
      await proxy.accept();
      await events.told('sessionExpired');
      await expect(locks.lock(ON_SECOND)).rejects.toBeInstanceOf(LockConfigurationError);
      expect((await locks.lock(ON_FIRST)).isHeld()).toBe(true);

      await using raw = await second();
      await eventually(() => raw.delete('/locks/.ensemble').then(() => true));
      expect((await locks.lock(ON_SECOND)).isHeld()).toBe(true);
    });
  });
});

describe('the warning about locks of replicas with another list', () => {
  it('is given although the reply to the creation of the marker was lost', async () => {
    const servers = await Promise.all([startTestServer(), startTestServer()]);
    for (const server of servers) endedWithTest(server);
    const before = await createLockService({ connectString: servers[0].connectString });
    await (await before.lock('order')).release();
    await before.close();
    const proxy = endedWithTest(await FaultProxy.start(servers[0]));
    // The first one is that of the check of permissions.
    const lost = proxy.once('create2', 'forwardThenCutBeforeReply');
    const warn = vi.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    onTestFinished(() => warn.mockRestore());
    endedWithTest(
      await createLockService({ connectString: [proxy.connectString, servers[1].connectString] }),
    );
    await lost.fired;
    expect(warn.mock.calls.flat()).toContainEqual(
      expect.stringContaining(
        "Locks below '/locks' are now spread over 2 ensembles, but there were lock paths before: order",
      ),
    );
  });
});
