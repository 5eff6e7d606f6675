import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLockService, LockConfigurationError, LockUnavailableError } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { ifThere } from '../support/if-there.js';
import { RawSession, type RawAcl } from '../support/raw-session.js';
import { startTestServer, type TestServer } from '../support/test-server.js';

const OWN = { credential: 'shop:secret' };

let server: TestServer;
let raw: RawSession;
beforeAll(async () => {
  server = await startTestServer();
  raw = await RawSession.connect(server, { auth: 'admin:secret', keepAlive: true });
});
afterAll(async () => {
  await raw.closeSession();
  await server.giveBack();
});

const rule = (scheme: string, id: string, permissions: number): RawAcl => ({ scheme, id, permissions });
const make = (path: string, ...acl: RawAcl[]) => raw.create2(path, 'persistent', Buffer.alloc(0), acl);

it('a chroot that does not exist fails the start, and is not created', async () => {
  const connectString = `${server.connectString}/shop/eu`;
  const start = createLockService({ connectString });
  await expect(start).rejects.toBeInstanceOf(LockConfigurationError);
  await expect(start).rejects.toThrow(
    "The chroot '/shop/eu' of `connectString` does not exist on the servers. If the spelling is correct, create it, for " +
      'example with "zkCli.sh create /shop" and then "zkCli.sh create /shop/eu" or with the option `createChroot: true`',
  );
  expect(await ifThere(raw.getChildren('/shop'))).toBeUndefined();
});

it('a chroot that does not exist fails every lock of a lazy service', async () => {
  await using locks = await createLockService({ connectString: `${server.connectString}/lazy`, lazy: true });
  await expect(locks.lock('order')).rejects.toThrow("The chroot '/lazy' of `connectString` does not exist");
  expect(await ifThere(raw.getChildren('/lazy'))).toBeUndefined();
});

it('createChroot creates a permanent chroot', async () => {
  const connectString = `${server.connectString}/created/here`;
  await (await createLockService({ connectString, createChroot: true })).close();
  await using locks = await createLockService({ connectString });
  await locks.withLock('order', () => {});
  expect(await raw.getChildren('/created/here')).toContain('locks');
});

it('a start leaves no node on an empty server', async () => {
  await using locks = await createLockService({
    connectString: server.connectString,
    root: '/untouched/root',
  });
  expect(locks.state).toBe('connected');
  expect(await ifThere(raw.getChildren('/untouched'))).toBeUndefined();
});

it('a start leaves nothing below its root, and clients never see its test node', async () => {
  await raw.create2('/watched');
  await raw.getChildren('/watched', true);
  await using _locks = await createLockService({ connectString: server.connectString, root: '/watched' });
  expect(await raw.getChildren('/watched')).toEqual([]);
  const { cversion } = (await raw.exists('/watched'))!;
  // One node was created and deleted, in one transaction.
  expect(cversion).toBe(2);
});

it('missing permissions on the root fail the start', async () => {
  await make('/closed', rule('auth', '', 31), rule('world', 'anyone', 1));
  const start = createLockService({ connectString: server.connectString, root: '/closed/locks', auth: OWN });
  await expect(start).rejects.toBeInstanceOf(LockUnavailableError);
  await expect(start).rejects.toThrow(
    "Locks are unavailable: the session has no permission to create nodes below '/closed' (NO_AUTH). " +
      'Grant its credentials that permission with setAcl, or change `auth` or `root`.',
  );
});

it('a root without the permission to delete nodes is sufficient', async () => {
  await make('/kept', rule('auth', '', 31), rule('world', 'anyone', 5));
  await using locks = await createLockService({ connectString: server.connectString, root: '/kept' });
  await locks.withLock('order', () => {});
});

it.each([
  ['create nodes below', 1 + 8],
  ['delete nodes below', 1 + 4],
  ['read', 4 + 8],
])('an acl without the right to %s lock paths fails the start', async (right, permissions) => {
  const acl = [rule('world', 'anyone', permissions)];
  await expect(createLockService({ connectString: server.connectString, root: '/own', acl })).rejects.toThrow(
    `the session has no permission to ${right} lock paths that it has created itself (NO_AUTH)`,
  );
});

it('an acl that the servers refuse fails the start', async () => {
  const acl = [rule('nonsense', 'x', 31)];
  await expect(createLockService({ connectString: server.connectString, root: '/own', acl })).rejects.toThrow(
    'ZooKeeper refuses the access rules of `acl` (INVALID_ACL)',
  );
});

it('a lazy service starts without permissions', async () => {
  await make('/lazily', rule('auth', '', 31));
  await using locks = await createLockService({
    connectString: server.connectString,
    root: '/lazily',
    lazy: true,
  });
  const events = new EventRecorder(locks);
  await events.told('ready');
  await expect(locks.lock('order')).rejects.toThrow('NO_AUTH');
});
