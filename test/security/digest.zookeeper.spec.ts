import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createLockService,
  LockUnavailableError,
  type LockModuleOptions,
  type LockService,
} from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { eventually } from '../support/eventually.js';
import { RawSession } from '../support/raw-session.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';

const ROOT = '/safe';
const SHOP = 'shop:secret';
const NO_AUTH = { code: -102 };

type Attempt = (locks: LockService, resource: string) => Promise<unknown>;

const ATTEMPTS: readonly [how: string, attempt: Attempt][] = [
  ['lock', (locks, resource) => locks.lock(resource)],
  ['lock without waiting', (locks, resource) => locks.lock(resource, { wait: 0 })],
  ['tryLock', (locks, resource) => locks.tryLock(resource)],
  ['tryLock with a wait', (locks, resource) => locks.tryLock(resource, { wait: 10_000 })],
  ['withLock', (locks, resource) => locks.withLock(resource, () => 'done')],
];

let ensemble: ZooKeeperEnsemble;
let shop: LockService;
let resources = 0;

beforeAll(async () => {
  ensemble = await ZooKeeperEnsemble.start();
  shop = await open(SHOP);
});
afterAll(async () => {
  await shop.close();
  await ensemble.stop();
});

function options(credential: string | undefined): LockModuleOptions {
  return {
    connectString: ensemble.connectString,
    root: ROOT,
    drainTimeout: 0,
    ...(credential !== undefined && { auth: { credential } }),
  };
}

function open(credential: string | undefined): Promise<LockService> {
  return createLockService({ ...options(credential), lazy: true });
}

describe.each([
  ['without credentials', undefined],
  ['with other credentials', 'thief:secret'],
  ['with a wrong password of an existing user', 'shop:guessed'],
])('a client %s (H39)', (_, credential) => {
  let stranger: LockService;
  beforeAll(async () => {
    stranger = await open(credential);
  });
  afterAll(() => stranger.close());

  it('fails to start, unless it is lazy', async () => {
    // The lock creates the root, which belongs to the shop.
    await using _held = await shop.lock('started');
    await expect(createLockService(options(credential))).rejects.toThrow(
      `Locks are unavailable: the session has no permission to create nodes below '${ROOT}' (NO_AUTH). ` +
        'Grant its credentials that permission with setAcl, or change `auth` or `root`.',
    );
  });

  /** The error must say what to do, and must not name the holder of the lock. */
  async function expectRefusal(attempt: Attempt, resource: string): Promise<void> {
    const error: unknown = await attempt(stranger, resource).then(
      () => 'no error',
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(LockUnavailableError);
    const { message } = error as LockUnavailableError;
    expect(error).toMatchObject({ resource, cause: { code: 'NO_AUTH' } });
    expect(message).toMatch(
      `Lock '${resource}' is unavailable: NO_AUTH: ZooKeeper answered with error -102 (${ROOT}/${resource}`,
    );
    expect(message).toContain('Compare the options `auth` and `acl` with the ACLs of `root` and below.');
    expect(message).not.toContain(shop.owner);
  }

  it.each(ATTEMPTS)('is refused by %s, whether the lock is held, free or new', async (_how, attempt) => {
    const resource = `order:${(resources += 1)}`;
    const held = await shop.lock(resource);
    await expectRefusal(attempt, resource);
    expect(held.isHeld()).toBe(true);
    expect(await held.release()).toBe(true);
    await expectRefusal(attempt, resource);
    await expectRefusal(attempt, `${resource}:new`);
    // No contender is left that would block others.
    expect(await shop.inspect(resource)).toMatchObject({ holder: null, waiters: [] });
  });

  it('cannot see the holder or the waiters of a lock', async () => {
    await using _held = await shop.lock('seen');
    // A server that lags behind does not have this lock yet.
    await eventually(() => expectRefusal((locks, resource) => locks.inspect(resource), 'seen'));
  });

  it('can neither read, mark, free nor join the queue of a lock with bare requests', async () => {
    await using held = await shop.lock('bare');
    await using owner = await RawSession.connect(ensemble.servers[0]!, { auth: SHOP });
    await using raw = await RawSession.connect(ensemble.servers[1]!, { auth: credential });
    await Promise.all([owner.sync(), raw.sync()]);
    // Even after sync, a leader may show a change later than a follower.
    const [node] = await eventually(() => owner.getChildren(`${ROOT}/bare`));
    const path = `${ROOT}/bare/${node}`;
    expect((await owner.getData(path)).data.toString()).toContain(shop.owner);
    await eventually(() => raw.exists(path));

    await expect(raw.getChildren(`${ROOT}/bare`)).rejects.toMatchObject(NO_AUTH);
    await expect(raw.getData(path)).rejects.toMatchObject(NO_AUTH);
    await expect(raw.setData(path, Buffer.from('__REVOKE__'))).rejects.toMatchObject(NO_AUTH);
    await expect(raw.delete(path)).rejects.toMatchObject(NO_AUTH);
    await expect(raw.delete(`${ROOT}/bare`)).rejects.toMatchObject(NO_AUTH);
    await expect(raw.create2(`${ROOT}/bare/x-lock-`, 'ephemeral-sequential')).rejects.toMatchObject(NO_AUTH);
    await expect(raw.create2(`${ROOT}/other`)).rejects.toMatchObject(NO_AUTH);
    expect(held.isHeld()).toBe(true);
    expect(await held.release()).toBe(true);
  });
});

it('another client with the same credentials shares the lock', async () => {
  const colleague = await open(SHOP);
  const held = await shop.lock('shared');
  expect(await colleague.tryLock('shared')).toBeNull();
  const waiting = colleague.lock('shared');
  await held.release();
  const taken = await waiting;
  expect(taken.isHeld()).toBe(true);
  await eventually(async () =>
    expect((await shop.inspect('shared')).holder?.owner?.owner).toBe(colleague.owner),
  );
  await taken.release();
  await colleague.close();
});

it('the permissions are present on the next server after one is killed', async () => {
  const locks = await open(SHOP);
  const events = new EventRecorder(locks);
  const before = await firstValueFrom(locks.ready$);
  const held = await locks.lock('moved');

  await ensemble.servers.find(({ connectString }) => connectString === before.server)!.kill();
  const after = await events.told('resumed');

  expect(after.server).not.toBe(before.server);
  expect(held.isHeld()).toBe(true);
  expect(await held.release()).toBe(true);
  await locks.withLock('moved', () => {});
  await locks.close();
});
