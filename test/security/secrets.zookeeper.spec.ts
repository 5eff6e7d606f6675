import { createHash, createPrivateKey } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { createLockService, type LockModuleOptions, type LockService } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Certificates } from '../support/certificates.js';
import { eventually } from '../support/eventually.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { ifThere } from '../support/if-there.js';
import { RawSession } from '../support/raw-session.js';
import { startTestServer } from '../support/test-server.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { LeakDetector } from './leak-detector.js';

const CREDENTIAL = 'shop:hunter2-horse';
const PASSPHRASE = 'correct-battery-staple';
/** Offset of the password in the reply to a handshake. */
const PASSWORD_AT = 24;

let detector: LeakDetector;
beforeEach(() => {
  detector = new LeakDetector();
  detector.addSecret('credential', CREDENTIAL);
  detector.addSecret('password of the user', CREDENTIAL.split(':')[1]!);
  detector.addSecret('digest', createHash('sha1').update(CREDENTIAL).digest());
  detector.addSecret('passphrase', PASSPHRASE);
});

/** Records the outcome, whether it resolves or rejects. */
async function recordOutcome(attempt: Promise<unknown>): Promise<void> {
  detector.record(await attempt.catch((error: unknown) => error));
}

async function rejected(reason: string): Promise<never> {
  throw new Error(reason);
}

/** Locks, times out, aborts, exceeds a ttl and fails: all that a service logs or throws without connection trouble. */
async function useLocks(locks: LockService): Promise<void> {
  await recordOutcome(locks.lock('held'));
  await recordOutcome(locks.tryLock('held'));
  await recordOutcome(locks.lock('held', { wait: 50 }));
  await recordOutcome(locks.lock('held', { signal: AbortSignal.timeout(50) }));
  await recordOutcome(
    locks.withLock('short', { ttl: 20 }, () => new Promise<void>((resolve) => setTimeout(resolve, 60))),
  );
  await recordOutcome(locks.withLock('failing', () => rejected('work of the user')));
  await recordOutcome(locks.inspect('held'));
  await recordOutcome(locks.lock('x'.repeat(2_000)));
  detector.record(locks);
}

async function readAll(session: RawSession, path: string): Promise<void> {
  detector.record((await ifThere(session.getData(path)))?.data.toString('latin1'));
  for (const name of (await ifThere(session.getChildren(path))) ?? [])
    await readAll(session, `${path === '/' ? '' : path}/${name}`);
}

/** The server chooses the passwords and sends them only here. Returns those chosen so far. */
function keepSessionPasswords(proxy: FaultProxy): ReadonlySet<string> {
  const seen = new Set<string>();
  const keep = (frame: Buffer): Buffer => {
    const password = frame.subarray(PASSWORD_AT, PASSWORD_AT + 16);
    if (password.some((byte) => byte !== 0)) {
      seen.add(password.toString('hex'));
      detector.addSecret(`password of session ${seen.size}`, password);
    }
    proxy.rewriteReply('connect', keep);
    return frame;
  };
  proxy.rewriteReply('connect', keep);
  return seen;
}

it('a service with credentials leaks neither these nor the password of its session', async () => {
  await using server = await startTestServer();
  await using proxy = await FaultProxy.start(server);
  const sessions = keepSessionPasswords(proxy);
  const options = {
    connectString: proxy.connectString,
    sessionTimeout: 3_000,
    connectTimeout: 4_000,
    drainTimeout: 0,
  };
  const locks = await createLockService({ ...options, auth: { credential: CREDENTIAL } });
  const events = new EventRecorder(locks);
  detector.follow(locks);
  await useLocks(locks);
  await using observer = await RawSession.connect(server, { auth: CREDENTIAL });
  await readAll(observer, '/');

  proxy.cutAll();
  await events.told('resumed');
  proxy.refuse();
  await Promise.all([events.told('lost'), recordOutcome(locks.lock('unreachable'))]);
  await eventually(async () =>
    expect((await ifThere(observer.getChildren('/locks/held'))) ?? []).toEqual([]),
  );
  await proxy.accept();
  await events.told('sessionExpired');
  await events.told('ready');
  await useLocks(locks);
  await using holder = await locks.lock('safe');
  detector.record(holder);

  await recordOutcome(
    createLockService({ ...options, auth: { scheme: 'nonsense', credential: CREDENTIAL } }),
  );
  const wrong = { credential: `${CREDENTIAL}!` };
  await recordOutcome(createLockService({ ...options, auth: wrong }));
  const stranger = await createLockService({ ...options, auth: wrong, lazy: true });
  detector.follow(stranger);
  await recordOutcome(stranger.lock('safe'));
  await Promise.all([locks.close(), stranger.close()]);

  expect(sessions.size).toBeGreaterThan(1);
  expect(detector.recorded.length).toBeGreaterThan(100);
  expect(detector.found).toEqual([]);
});

it('a service with TLS leaks neither the passphrase nor the key', async () => {
  await using certificates = await Certificates.create();
  await using server = await ZooKeeperServer.start({ tls: certificates.server });
  const { ca, cert, key: plain } = certificates.client;
  const key = createPrivateKey(plain).export({
    type: 'pkcs8',
    format: 'pem',
    cipher: 'aes-256-cbc',
    passphrase: PASSPHRASE,
  });
  for (const line of `${plain}\n${key as string}`.split('\n').filter((text) => /^[\w+/=]{20,}$/.test(text)))
    detector.addSecret(`key, ${line.slice(0, 4)}...`, line);
  const tls = { ca, cert, key, passphrase: PASSPHRASE };
  const options = {
    connectString: `127.0.0.1:${server.securePort}`,
    sessionTimeout: 3_000,
    connectTimeout: 4_000,
  };
  const auth = { credential: CREDENTIAL };
  const locks = await createLockService({ ...options, tls, auth, drainTimeout: 0 });
  const events = new EventRecorder(locks);
  detector.follow(locks);
  await useLocks(locks);

  await server.kill();
  await Promise.all([events.told('lost'), recordOutcome(locks.lock('unreachable'))]);
  await server.restart();
  const unfit: LockModuleOptions['tls'][] = [
    { cert, key, passphrase: PASSPHRASE },
    { ...tls, ca: PASSPHRASE },
    { ...tls, servername: 'zookeeper.example' },
    { ...tls, passphrase: `not ${PASSPHRASE}` },
    { ...tls, passphrase: [PASSPHRASE] as never },
    { ...tls, cert: plain },
    { ...tls, minVersion: PASSPHRASE as never },
    PASSPHRASE as never,
  ];
  await Promise.all(unfit.map((other) => recordOutcome(createLockService({ ...options, auth, tls: other }))));
  await locks.close();

  expect(detector.recorded.length).toBeGreaterThan(100);
  expect(detector.found).toEqual([]);
});
