import { expect, test } from 'vitest';
import { Certificates } from './certificates.js';
import { RawSession } from './raw-session.js';
import { ZooKeeperServer } from './zookeeper-server.js';

test('a server with TLS serves trusted clients, and plaintext clients on the other port', async () => {
  await using certificates = await Certificates.create();
  await using server = await ZooKeeperServer.start({ tls: certificates.server });
  const secure = { host: server.host, port: server.securePort };
  await using session = await RawSession.connect(secure, { tls: certificates.client });
  await session.create2('/secret', 'ephemeral');
  await using plain = await RawSession.connect(server);
  expect((await plain.exists('/secret'))?.ephemeralOwner).toBe(session.id);

  await using others = await Certificates.create();
  const { ca } = certificates.client;
  await expect(RawSession.connect(secure, { tls: { ...others.client, ca } })).rejects.toThrow();
  await expect(RawSession.connect(secure, { tls: { ca } })).rejects.toThrow();
  await expect(RawSession.connect(secure, { tls: others.client })).rejects.toThrow(/certificate/);
});

test('clientAuth "none" accepts clients without a certificate', async () => {
  await using certificates = await Certificates.create();
  await using server = await ZooKeeperServer.start({ tls: { ...certificates.server, clientAuth: 'none' } });
  const { ca } = certificates.client;
  await using session = await RawSession.connect(
    { host: server.host, port: server.securePort },
    { tls: { ca } },
  );
  expect(session.connected).toBe(true);
});
