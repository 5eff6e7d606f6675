import { averageLatency } from './server.js';
import { VERSION, type WordContext } from './word-context.js';

/** `mntr`: metrics for monitoring systems, without those that do not apply to this server. */
export function mntr({ service, startedAt }: WordContext): string {
  const { store, statistics, connections, sessions, clock } = service;
  const { min, max } = statistics.latency;
  const fields = {
    version: VERSION,
    server_state: 'standalone',
    ephemerals_count: ephemeralsCount(service),
    num_alive_connections: connections.size,
    avg_latency: averageLatency(statistics),
    outstanding_requests: 0,
    znode_count: store.tree.nodeCount,
    global_sessions: sessions.size,
    last_client_response_size: statistics.lastResponseBytes,
    packets_sent: statistics.sent,
    packets_received: statistics.received,
    max_client_response_size: statistics.maxResponseBytes,
    connection_drop_probability: '0.0',
    watch_count: store.watches.size,
    min_latency: min,
    approximate_data_size: dataSize(service),
    local_sessions: 0,
    uptime: Math.floor(clock.monotonic() - startedAt),
    max_latency: max,
    min_client_response_size: statistics.minResponseBytes,
  };
  return Object.entries(fields)
    .map(([name, value]) => `zk_${name}\t${value}\n`)
    .join('');
}

function ephemeralsCount({ store: { tree } }: WordContext['service']): number {
  let count = 0;
  for (const owner of tree.ephemeralOwners) count += tree.ephemeralsOf(owner).size;
  return count;
}

function dataSize({ store: { tree } }: WordContext['service']): number {
  let size = 0;
  for (const [path, { data }] of tree.entries()) size += path.length + (data?.length ?? 0);
  return size;
}
