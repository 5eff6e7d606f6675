import { Logger } from '@nestjs/common';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createLockService, LockConfigurationError, type LockModuleOptions } from '../../lib/index.js';
import { ON_FIRST, ON_SECOND, useSpreadLocks } from '../fixtures/spread-locks.js';
import { hasWaiters } from '../fixtures/has-waiters.js';
import { eventually } from '../support/eventually.js';

const ALL_BUT_READ = 30;

const spread = useSpreadLocks();

describe('locks that are spread over two ensembles', () => {
  it('are each on one of them, and exclude the other replicas', async () => {
    const [here, there] = [await spread.replica(), await spread.replica()];
    for (const resource of [ON_FIRST, ON_SECOND]) {
      const held = await here.lock(resource);
      expect(await there.tryLock(resource)).toBeNull();
      const next = there.lock(resource);
      await hasWaiters(there, resource, 1);
      const contenders = (await spread.children(`/${resource}`)).map(({ length }) => length);
      expect(contenders).toEqual(resource === ON_FIRST ? [2, 0] : [0, 2]);
      await held.release();
      const { fencingToken } = await next;
      expect(fencingToken).toBeGreaterThan(held.fencingToken);
    }
  });

  it('have their permits, requests and forced releases there, too', async () => {
    const [here, there] = [await spread.replica(), await spread.replica({ owner: 'there' })];
    for (const [licenses, payout] of [
      ['licenses:4', 'payout:2'],
      ['licenses:5', 'payout:1'],
    ] as const) {
      await here.lock(licenses, { permits: 1 });
      expect(await there.setPermits(licenses, 2)).toBe(true);
      expect(await there.tryLock(licenses, { permits: 2 })).not.toBeNull();
      expect(await there.requestRelease(licenses)).toBe(true);
      const { fencingToken: token } = await here.lock(payout, { failure: 'closed', owner: 'here' });
      expect(await there.forceRelease(payout, { token })).toBe(true);
    }
    const [onFirst, onSecond] = await spread.children('');
    expect([onFirst.toSorted(), onSecond.toSorted()]).toEqual([
      ['.ensemble', 'licenses:4', 'payout:2'],
      ['.ensemble', 'licenses:5', 'payout:1'],
    ]);
  });

  it('are held together, although their ensembles differ', async () => {
    const [here, there] = [await spread.replica(), await spread.replica()];
    const held = await here.lock([ON_SECOND, ON_FIRST]);
    expect(await spread.children(`/${ON_FIRST}`)).toEqual([[expect.any(String)], []]);
    const [, [contender]] = await spread.children(`/${ON_SECOND}`);
    expect(await there.tryLock([ON_FIRST, ON_SECOND])).toBeNull();

    const lost = new Promise((resolve) => held.signal.addEventListener('abort', resolve));
    await eventually(() => here.inspect(ON_SECOND).then(({ holder }) => holder !== null));
    await spread.raw[1].delete(`${spread.options().root}/${ON_SECOND}/${contender}`);
    await lost;
    expect(held.isHeld()).toBe(false);
    expect((await there.lock([ON_FIRST, ON_SECOND])).isHeld()).toBe(true);
  });
});

describe('the ensembles of a list', () => {
  it('say which of how many they are, for all later services with the same list', async () => {
    await spread.replica();
    expect(await spread.markers()).toEqual([
      { ensemble: 0, of: 2 },
      { ensemble: 1, of: 2 },
    ]);
    await using again = await createLockService(spread.options());
    await again.withLock(ON_FIRST, () => {});
  });

  it('are marked with a warning where there are locks already, which may be those of a single ensemble', async () => {
    const alone = await spread.replica({ connectString: spread.servers[1].connectString });
    await alone.lock(ON_FIRST);
    const warn = vi.spyOn(Logger.prototype, 'warn');
    onTestFinished(() => warn.mockRestore());
    await spread.replica();
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(
          /^connectString\[1\] .*Locks below '\/spread-\d+' are now spread over 2 .*: order:42\. Stop replicas/,
        ),
      ],
    ]);
  });

  it('are marked also if their root may not be listed', async () => {
    const { root } = spread.options();
    const unlistable = { scheme: 'world', id: 'anyone', permissions: ALL_BUT_READ };
    for (const session of spread.raw)
      await session.create2(root, 'persistent', Buffer.alloc(0), [unlistable]);
    const locks = await spread.replica();
    await locks.withLock([ON_FIRST, ON_SECOND], () => {});
    expect(await spread.markers()).toEqual([
      { ensemble: 0, of: 2 },
      { ensemble: 1, of: 2 },
    ]);
  });

  it('are not marked by a list of one, which is the same as its entry', async () => {
    const [{ connectString }] = spread.servers;
    const locks = await spread.replica({ connectString: [connectString] });
    const same = await spread.replica({ connectString });
    await locks.lock(ON_SECOND);
    expect(await same.tryLock(ON_SECOND)).toBeNull();
    expect(await spread.markers()).toEqual([undefined, undefined]);
  });

  it('have marks with the access rules of all nodes', async () => {
    await spread.replica({ auth: { credential: 'shop:secret' } });
    await expect(spread.markers()).rejects.toThrow('-102');
  });

  it('have their marks below their own chroots', async () => {
    const connectString = [`${spread.servers[0].connectString}/a`, `${spread.servers[0].connectString}/b`];
    const locks = await spread.replica({ connectString, createChroot: true, root: '/chrooted' });
    await locks.withLock([ON_FIRST, ON_SECOND], () => {});
    expect(await spread.raw[0].getChildren('/a/chrooted')).toContain(ON_FIRST);
    expect((await spread.raw[0].getData('/b/chrooted/.ensemble')).data.toString()).toBe(
      '{"ensemble":1,"of":2}',
    );
  });
});

describe('a service that would look for a lock on another ensemble', () => {
  const [first, second] = [0, 1].map((index) => () => spread.servers[index]!.connectString) as [
    () => string,
    () => string,
  ];
  const EITHER = /\/\.ensemble' says that this is connectString\[[01]\] of 2, but by/;

  it.for([
    ['with the list in another order', () => [second(), first()], EITHER],
    ['with a longer list', () => [first(), second(), `${second()}/other`], EITHER],
    ['with the first ensemble alone', first, 'connectString[0] of 2'],
    ['with the second ensemble alone', second, 'connectString[1] of 2'],
  ] as const)('is refused: %s', async ([, connectString, message]) => {
    const locks = await spread.replica();
    const options: LockModuleOptions = { connectString: connectString(), createChroot: true };
    const start = createLockService(spread.options(options));
    await expect(start).rejects.toBeInstanceOf(LockConfigurationError);
    await expect(start).rejects.toThrow(message);
    await expect(start).rejects.toThrow('give all of them the same connect strings in the same order');

    // It would have no lock either if it did not check that at its start.
    const lazy = await spread.replica({ ...options, lazy: true });
    const asked = [lazy.lock(ON_FIRST), lazy.lock(ON_SECOND, { fair: false })];
    for (const { reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[])
      expect(reason).toBeInstanceOf(LockConfigurationError);
    expect((await locks.lock(ON_SECOND)).isHeld()).toBe(true);
  });

  it('is refused by content that no version of this library writes', async () => {
    const { root } = spread.options();
    await spread.raw[1].create2(root);
    await spread.raw[1].create2(`${root}/.ensemble`, 'persistent', Buffer.from('mine'));
    await expect(createLockService(spread.options())).rejects.toThrow(
      `The node '${root}/.ensemble' says that this is 'mine' (string), but by \`connectString\` of this service it is ` +
        'connectString[1] of 2. ',
    );
  });
});
