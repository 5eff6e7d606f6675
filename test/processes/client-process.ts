import { SystemClock } from '../../lib/locking/clock.js';
import { parseConnectString } from '../../lib/zookeeper/connect-string.js';
import { NetworkClient } from '../../lib/zookeeper/client/network-client.js';

/** Run by `process-exit.server.spec.ts` in a separate process, which must exit on its own. */
const [connectString = '', scenario = ''] = process.argv.slice(2);

const acl = [{ scheme: 'world', id: 'anyone', permissions: 31 }];
const connections: (() => void)[] = [];
const failures: (() => void)[] = [];

const client = new NetworkClient({
  servers: parseConnectString(connectString).servers,
  sessionTimeout: 4_000,
  connectTimeout: 1_000,
  auth: [],
  clock: new SystemClock(),
  reconnectDelay: () => 50,
  observer: {
    connected: () => connections.shift()?.(),
    attemptFailed: () => failures.shift()?.(),
  },
});

const connected = (): Promise<void> => new Promise((resolve) => connections.push(resolve));
const failed = (): Promise<void> => new Promise((resolve) => failures.push(resolve));

const scenarios: Record<string, () => Promise<unknown>> = {
  pendingCreates: async () => {
    const ready = connected();
    client.connect();
    await ready;
    const creates = [1, 2, 3].map(() => client.create('/exit-', { mode: 'ephemeral-sequential', acl }));
    await client.getChildren('/', { watch: () => {} });
    return Promise.all([...creates, client.close(60_000)]);
  },
  sameTick: () => {
    client.connect();
    return client.close();
  },
  refused: async () => {
    const refusal = failed();
    client.connect();
    await refusal;
    await client.close();
  },
  mute: async () => {
    const firstAttempt = failed();
    client.connect();
    await firstAttempt;
    // Between the attempts or during the second one.
    await client.close();
  },
  never: () => Promise.resolve(),
};

// Connections do not keep a process alive.
const keepAlive = setInterval(() => {}, 60_000);
await scenarios[scenario]?.();
clearInterval(keepAlive);
process.stdout.write('closed');
