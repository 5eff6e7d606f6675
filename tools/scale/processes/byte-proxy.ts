import { connect, type Socket } from 'node:net';
import type { ByteProxyCommands, ByteProxySettings } from '../process/byte-proxy-commands.js';
import { serveCommands } from '../process/commands.js';
import { RequestCounter } from '../process/request-counter.js';
import { LoopbackListener } from '../../../test/support/loopback-listener.js';
import { operationName } from '../../../test/support/zookeeper-operations.js';

const { target } = JSON.parse(process.argv[2]!) as ByteProxySettings;
const open = new Set<readonly [Socket, Socket]>();
let requests: Record<string, number> = {};
let connections = 0;
let bytesToServer = 0;
let bytesToClient = 0;

function serve(client: Socket): void {
  const server = connect({ ...target, allowHalfOpen: true });
  const pair = [client, server] as const;
  open.add(pair);
  connections += 1;
  const counter = new RequestCounter((operation) => {
    const name = operationName(operation);
    requests[name] = (requests[name] ?? 0) + 1;
  });
  client.on('data', (chunk: Buffer) => {
    bytesToServer += chunk.length;
    counter.read(chunk);
  });
  server.on('data', (chunk: Buffer) => (bytesToClient += chunk.length));
  // With backpressure, as in a network: the server keeps data that the client does not read.
  client.pipe(server).pipe(client);
  for (const socket of pair) {
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      open.delete(pair);
      for (const other of pair) other.destroy();
    });
  }
}

const listener = await LoopbackListener.open(serve);
serveCommands<ByteProxyCommands>({
  port: () => listener.port,
  resetAll: () => {
    const count = open.size;
    for (const pair of open) for (const socket of pair) socket.resetAndDestroy();
    return count;
  },
  traffic: () => ({ connections, requests, bytesToServer, bytesToClient }),
  forget: () => {
    requests = {};
    connections = bytesToServer = bytesToClient = 0;
  },
});
