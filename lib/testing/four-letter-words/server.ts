import type { Statistics } from '../server/statistics.js';
import { describe } from './connections.js';
import { hexadecimal, lines } from './format.js';
import { VERSION, type WordContext } from './word-context.js';

/** `srvr`: a summary of the server. */
export function srvr(context: WordContext): string {
  return `Zookeeper version: ${VERSION}\n${summary(context)}`;
}

/** `stat`: the same summary, with all connections. */
export function stat(context: WordContext): string {
  const clients = [...context.service.connections].map((connection) => `${describe(connection, true)}\n`);
  return `Zookeeper version: ${VERSION}\nClients:\n${clients.join('')}\n${summary(context)}`;
}

/** `conf`: the configuration of the server. */
export function conf({ options, endpoint }: WordContext): string {
  return lines({
    clientPort: endpoint.port,
    secureClientPort: -1,
    dataDir: '(memory)',
    dataDirSize: 0,
    dataLogDir: '(memory)',
    dataLogSize: 0,
    tickTime: options.tickTime,
    maxClientCnxns: 0,
    minSessionTimeout: options.minSessionTimeout,
    maxSessionTimeout: options.maxSessionTimeout,
    clientPortListenBacklog: -1,
    serverId: 0,
  });
}

export function averageLatency({ latency }: Statistics): string {
  const rounded = Math.round(latency.average * 10_000) / 10_000;
  return Number.isInteger(rounded) ? `${rounded}.0` : String(rounded);
}

function summary({ service }: WordContext): string {
  const { statistics, connections, store } = service;
  const { min, max } = statistics.latency;
  return [
    `Latency min/avg/max: ${min}/${averageLatency(statistics)}/${max}`,
    `Received: ${statistics.received}`,
    `Sent: ${statistics.sent}`,
    `Connections: ${connections.size}`,
    'Outstanding: 0',
    `Zxid: ${hexadecimal(store.zxid)}`,
    'Mode: standalone',
    `Node count: ${store.tree.nodeCount}`,
    '',
  ].join('\n');
}
