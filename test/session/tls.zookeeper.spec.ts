import { expect, it } from 'vitest';
import { createLockService } from '../../lib/index.js';
import { Certificates } from '../support/certificates.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

it('locks over TLS with a client certificate, and not without one', async () => {
  await using certificates = await Certificates.create();
  await using server = await ZooKeeperServer.start({ tls: { ...certificates.server, clientAuth: 'need' } });
  const connectString = `127.0.0.1:${server.securePort}`;
  const { ca, cert, key } = certificates.client;

  const locks = await createLockService({
    connectString,
    // The first handshake of a server is slow on a busy machine.
    sessionTimeout: 40_000,
    connectTimeout: 50_000,
    tls: { ca, cert, key, servername: 'localhost' },
  });
  const held = await locks.lock('order');
  expect(held.isHeld()).toBe(true);
  await held.release();
  await locks.close();

  await expect(
    createLockService({ connectString, connectTimeout: 1_000, tls: { ca, servername: 'localhost' } }),
  ).rejects.toMatchObject({ name: 'LockUnavailableError' });
});
