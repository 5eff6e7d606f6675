import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { FramedSocket } from '../../lib/zookeeper/client/framed-socket.js';
import { freePort } from '../support/free-port.js';

test('a socket that TCP has connected to itself is not a server', async () => {
  const port = await freePort();
  const calls: string[] = [];
  await new Promise<void>((resolve) => {
    // Forces what can happen by chance while a server is down: the local port is the remote port.
    const wire = new FramedSocket(
      { address: '127.0.0.1', port },
      (_address, opened) =>
        connect({ host: '127.0.0.1', port, localAddress: '127.0.0.1', localPort: port }, opened),
      1_000,
      {
        opened: () => calls.push('opened'),
        received: () => calls.push('received'),
        disconnected: ({ message }) => {
          calls.push(message);
          resolve();
        },
      },
    );
    expect(wire).toBeDefined();
  });
  expect(calls).toEqual([`Nothing listens on 127.0.0.1:${port}: the socket connected to itself`]);
});
