import { readdirSync, statSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { firstValueFrom } from 'rxjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLockService, LockUnavailableError } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { Certificates } from '../support/certificates.js';
import { eventually } from '../support/eventually.js';
import type { ZooKeeperServer } from '../support/zookeeper-server.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';

let certificates: Certificates;
let others: Certificates;
let ensemble: ZooKeeperEnsemble;

beforeAll(async () => {
  [certificates, others] = await Promise.all([Certificates.create(), Certificates.create()]);
  ensemble = await ZooKeeperEnsemble.start({ tls: { ...certificates.server, clientAuth: 'need' } });
});
afterAll(async () => {
  await ensemble.stop();
  await Promise.all([certificates.remove(), others.remove()]);
});

const secure = ({ host, securePort }: ZooKeeperServer): string => `${host}:${securePort}`;
/** All open sockets: Node lists only those that keep the process alive, which ours do not. */
const sockets = (): number =>
  readdirSync('/proc/self/fd').filter((fd) =>
    statSync(`/proc/self/fd/${fd}`, { throwIfNoEntry: false })?.isSocket(),
  ).length;

it('an ensemble that requires certificates keeps a lock when the server in use is killed', async () => {
  // Not the leader, whose successor is elected in an unknown time.
  const connectString = ensemble
    .allBut(await ensemble.leader())
    .map(secure)
    .join(',');
  const [locks, rival] = await Promise.all(
    [1, 2].map(() => createLockService({ connectString, tls: certificates.client })),
  );
  const events = new EventRecorder(locks!);
  const { server } = await firstValueFrom(locks!.ready$);
  const held = await locks!.lock('order');

  const inUse = ensemble.servers.find(({ securePort }) => server.endsWith(`:${securePort}`))!;
  await inUse.kill();
  expect((await events.told('resumed')).server).not.toBe(server);

  expect(held.isHeld()).toBe(true);
  expect(await rival!.tryLock('order')).toBeNull();
  const waiting = rival!.lock('order');
  expect(await held.release()).toBe(true);
  const taken = await waiting;
  expect(taken.fencingToken).toBeGreaterThan(held.fencingToken);
  await taken.release();
  await Promise.all([locks!.close(), rival!.close()]);
  await inUse.restart();
});

/** The servers to which the strangers connect: one that answers, and one that is paused. */
let serving: ZooKeeperServer;
let paused: ZooKeeperServer;

interface Stranger {
  readonly tls?: () => ConnectionOptions;
  readonly connectString?: () => string;
  readonly cause: object;
}

const code = (pattern: RegExp) => ({ code: expect.stringMatching(pattern) });
const message = (pattern: RegExp) => ({ message: expect.stringMatching(pattern) });

const STRANGERS: Readonly<Record<string, Stranger>> = {
  'a client without a certificate': {
    tls: () => ({ ca: certificates.client.ca }),
    cause: code(/^ERR_SSL_.+_ALERT_\w*CERTIFICATE/),
  },
  'a client with the certificate of another authority': {
    tls: () => ({ ...others.client, ca: certificates.client.ca }),
    cause: code(/^ERR_SSL_.+_ALERT_\w*CERTIFICATE/),
  },
  'a server whose authority the client does not know': {
    tls: () => ({ cert: certificates.client.cert, key: certificates.client.key }),
    cause: code(/^UNABLE_TO_VERIFY_LEAF_SIGNATURE$/),
  },
  'a server whose certificate is for another name': {
    tls: () => ({ ...certificates.client, servername: 'zookeeper.example' }),
    cause: code(/^ERR_TLS_CERT_ALTNAME_INVALID$/),
  },
  'a client without TLS on a port for TLS': {
    cause: message(/closed the connection without an answer: does this port expect TLS/),
  },
  'a client with TLS on a port without': {
    tls: () => certificates.client,
    connectString: () => serving.connectString,
    cause: message(/closed the connection during the TLS handshake: does this port speak TLS\?$/),
  },
  'a client of a paused server': {
    tls: () => certificates.client,
    connectString: () => secure(paused),
    cause: message(/did not open a session within 4000 ms/),
  },
};

describe('refused, with the reason as the cause:', () => {
  let socketsBefore: number;
  const refusals = new Map<string, Promise<unknown>>();

  beforeAll(async () => {
    // Not the leader: without it, the others would soon stop serving.
    paused = await eventually(async () => (await ensemble.followers())[0] ?? false);
    serving = ensemble.servers.find((server) => server !== paused)!;
    paused.pause();
    socketsBefore = sockets();
    for (const [who, { tls, connectString }] of Object.entries(STRANGERS)) {
      const options = { connectString: connectString?.() ?? secure(serving!), ...(tls && { tls: tls() }) };
      const start = createLockService({ ...options, connectTimeout: 8_000 });
      refusals.set(
        who,
        start.catch((error: unknown) => error),
      );
    }
  });

  it.each(Object.entries(STRANGERS))('%s', async (who, { cause }) => {
    const error = await refusals.get(who);
    expect(error).toBeInstanceOf(LockUnavailableError);
    expect(error).toMatchObject({ cause });
    const reason = (error as { cause: Error }).cause.message.trim();
    expect((error as Error).message).toContain(`failed with "${reason}"`);
  });

  it('no stranger leaves a socket open', async () => {
    await Promise.all(refusals.values());
    await eventually(() => expect(sockets()).toBeLessThanOrEqual(socketsBefore));
  });
});
