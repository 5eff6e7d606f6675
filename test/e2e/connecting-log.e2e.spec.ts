import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { expect, test } from 'vitest';
import { LockModule } from '../../lib/index.js';
import { Test } from '@nestjs/testing';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { eventually } from '../support/eventually.js';
import { DEAD_PORT } from '../support/free-port.js';

/**
 * Starts a lazy application that connects to this address; resolves with its log after the first connection warning.
 */
async function logOf(connectString: string): Promise<{ log: RecordingLogger; warning: string }> {
  const log = new RecordingLogger();
  const module = await Test.createTestingModule({
    imports: [LockModule.forRoot({ connectString, lazy: true })],
  })
    .setLogger(log)
    .compile();
  endedWithTest({ [Symbol.asyncDispose]: () => module.close() });
  await module.init();
  const warning = await eventually(
    () => log.messages('warn').find((message) => message.startsWith('Could not connect')) ?? false,
    { describe: 'a warning' },
  );
  return { log, warning };
}

async function listening(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endedWithTest({ [Symbol.asyncDispose]: async () => void server.close() });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a lazy application without a server logs the address and the first failure', async () => {
  const server = `127.0.0.1:${DEAD_PORT}`;
  const { log, warning } = await logOf(server);
  expect(log.messages('log')).toContain(`Connecting to ZooKeeper at ${server}`);
  expect(warning).toBe(
    `Could not connect to ZooKeeper at ${server}, will try again: connect ECONNREFUSED ${server}`,
  );
});

test('the log says that a port speaks HTTP', async () => {
  const { warning } = await logOf(await listening(createHttpServer()));
  expect(warning).toContain('("HTTP"): is this a ZooKeeper port?');
});

test('the log says that a port speaks TLS', async () => {
  const alert = Buffer.from([0x15, 3, 1, 0, 2, 2, 70]);
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () => socket.end(alert));
  });
  const { warning } = await logOf(await listening(server));
  expect(warning).toContain('(a TLS alert): does this port expect TLS?');
});
