import { afterAll, beforeAll, expect, test } from 'vitest';
import { Certificates } from '../support/certificates.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { prepareClient, EPHEMERAL, openClient } from './client-harness.js';

let certificates: Certificates;
let server: ZooKeeperServer;
beforeAll(async () => {
  certificates = await Certificates.create();
  server = await ZooKeeperServer.start({ tls: { ...certificates.server, clientAuth: 'need' } });
});
afterAll(async () => {
  await server.stop();
  await certificates.remove();
});

const secure = (host: string): { connectString: string } => ({
  connectString: `${host}:${server.securePort}`,
});

test('speaks TLS with a client certificate, also after a reconnection', async () => {
  await using opened = await openClient(secure('127.0.0.1'), { tls: certificates.client });
  const { client, listener } = opened;
  await Promise.all([client.create('/tls', EPHEMERAL), client.commit(), client.getChildren('/')]);
  client.dropConnection(new Error('test'));
  await listener.heard('connected', 2);
  expect(listener.connections[1]).toMatchObject({ sessionId: listener.connections[0]!.sessionId });
  expect(await client.exists('/tls')).not.toBeNull();
  await client.close(60_000);
  await using plain = await openClient(server);
  expect(await plain.client.exists('/tls')).toBeNull();
});

test('checks the certificate against the name in the connect string, not against its address', async () => {
  await using named = await openClient(secure('localhost'), {
    tls: certificates.client,
    lookup: () => Promise.resolve(['127.0.0.1']),
  });
  await named.client.commit();
  await using stranger = prepareClient(secure('zookeeper.example'), {
    tls: certificates.client,
    lookup: () => Promise.resolve(['127.0.0.1']),
  });
  stranger.client.connect();
  await expectFailedAttempt(stranger, { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  await using renamed = await openClient(secure('zookeeper.example'), {
    tls: { ...certificates.client, servername: 'localhost' },
    lookup: () => Promise.resolve(['127.0.0.1']),
  });
  await renamed.client.commit();
});

test('a server that requires a certificate refuses a client without one', async () => {
  await using opened = prepareClient(secure('127.0.0.1'), { tls: { ca: certificates.client.ca } });
  opened.client.connect();
  await expectFailedAttempt(opened, {});
  expect(opened.listener.log).toEqual([]);
});

test('a certificate of an untrusted authority is reported', async () => {
  await using opened = prepareClient(secure('127.0.0.1'), { tls: {} });
  opened.client.connect();
  await expectFailedAttempt(opened, { message: expect.stringMatching(/certificate/) });
});

test('TLS options that cannot work are refused at once', () => {
  expect(() =>
    prepareClient(secure('127.0.0.1'), { tls: { cert: 'no certificate', key: 'no key' } }),
  ).toThrow();
});

test('plaintext on a TLS port, and TLS on a plaintext port, fail with the reason instead of hanging', async () => {
  await using plain = prepareClient(secure('127.0.0.1'));
  plain.client.connect();
  await expectFailedAttempt(plain, {});
  await using opened = prepareClient(server, { tls: certificates.client });
  opened.client.connect();
  await expectFailedAttempt(opened, {});
});

async function expectFailedAttempt(
  { client, listener }: Pick<ReturnType<typeof prepareClient>, 'client' | 'listener'>,
  cause: object,
): Promise<void> {
  while (listener.failedAttempts.length === 0) await client.commit().catch(() => {});
  expect(listener.failedAttempts[0]?.cause).toMatchObject(cause);
}
