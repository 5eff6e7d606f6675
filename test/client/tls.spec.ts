import { afterAll, beforeAll, expect, test } from 'vitest';
import { Certificates } from '../support/certificates.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';
import { createDriver, EPHEMERAL, openDriver } from './client-harness.js';

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
  await using opened = await openDriver(secure('127.0.0.1'), { tls: certificates.client });
  const { driver, listener } = opened;
  await Promise.all([driver.create('/tls', EPHEMERAL), driver.commit(), driver.getChildren('/')]);
  driver.dropConnection(new Error('test'));
  await listener.heard('connected', 2);
  expect(listener.connections[1]).toMatchObject({ reattached: true });
  expect(await driver.exists('/tls')).not.toBeNull();
  await driver.close(60_000);
  await using plain = await openDriver(server);
  expect(await plain.driver.exists('/tls')).toBeNull();
});

test('checks the certificate against the name in the connect string, not against the address behind it', async () => {
  await using named = await openDriver(secure('localhost'), {
    tls: certificates.client,
    lookup: () => Promise.resolve(['127.0.0.1']),
  });
  await named.driver.commit();
  await using stranger = createDriver(secure('zookeeper.example'), {
    tls: certificates.client,
    lookup: () => Promise.resolve(['127.0.0.1']),
  });
  stranger.driver.connect();
  await expectFailedAttempt(stranger, { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  await using renamed = await openDriver(secure('zookeeper.example'), {
    tls: { ...certificates.client, servername: 'localhost' },
    lookup: () => Promise.resolve(['127.0.0.1']),
  });
  await renamed.driver.commit();
});

test('a server that wants a certificate refuses a client without one', async () => {
  await using opened = createDriver(secure('127.0.0.1'), { tls: { ca: certificates.client.ca } });
  opened.driver.connect();
  await expectFailedAttempt(opened, {});
  expect(opened.listener.log).toEqual([]);
});

test('an authority that is not trusted is named', async () => {
  await using opened = createDriver(secure('127.0.0.1'), { tls: {} });
  opened.driver.connect();
  await expectFailedAttempt(opened, { message: expect.stringMatching(/certificate/) });
});

test('TLS options that cannot work are refused at once', () => {
  expect(() =>
    createDriver(secure('127.0.0.1'), { tls: { cert: 'no certificate', key: 'no key' } }),
  ).toThrow();
});

test('plain on a TLS port, and TLS on a plain port, say what is wrong instead of hanging', async () => {
  await using plain = createDriver(secure('127.0.0.1'));
  plain.driver.connect();
  await expectFailedAttempt(plain, {});
  await using opened = createDriver(server, { tls: certificates.client });
  opened.driver.connect();
  await expectFailedAttempt(opened, {});
});

async function expectFailedAttempt(
  { driver, listener }: Pick<ReturnType<typeof createDriver>, 'driver' | 'listener'>,
  cause: object,
): Promise<void> {
  while (listener.failedAttempts.length === 0) await driver.commit().catch(() => {});
  expect(listener.failedAttempts[0]?.cause).toMatchObject(cause);
}
