import { SystemClock } from '../../lib/locking/clock.js';
import { parseConnectString } from '../../lib/zookeeper/connect-string.js';
import { NetworkClient, type NetworkClientOptions } from '../../lib/zookeeper/client/network-client.js';
import type { WatchEvent } from '../../lib/zookeeper/client/zookeeper-client.interface.js';
import type {
  Connection,
  SessionEnd,
  SessionObserver,
} from '../../lib/zookeeper/session-observer.interface.js';
import { OPEN_ACL } from '../../lib/zookeeper/protocol/acl.js';
import { eventually } from '../support/eventually.js';

export const PERSISTENT = { mode: 'persistent', acl: OPEN_ACL } as const;
export const EPHEMERAL = { mode: 'ephemeral', acl: OPEN_ACL } as const;
export const EPHEMERAL_SEQUENTIAL = { mode: 'ephemeral-sequential', acl: OPEN_ACL } as const;

/** Longer than any noise of a busy machine, so that no session expires by accident. */
export const LONG_SESSION = 40_000;

/** The notifications of a client to its observer, in order. */
export class RecordingListener implements SessionObserver {
  readonly log: string[] = [];
  readonly connections: Connection[] = [];
  /** Also those that ended before their credentials were answered. */
  readonly acceptances: Connection[] = [];
  readonly causes: Error[] = [];
  readonly failedAttempts: { server: string; cause: Error }[] = [];

  accepted(connection: Connection): void {
    this.acceptances.push(connection);
  }

  connected(connection: Connection): void {
    this.log.push('connected');
    this.connections.push(connection);
  }

  disconnected(cause: Error): void {
    this.log.push('disconnected');
    this.causes.push(cause);
  }

  attemptFailed(server: string, cause: Error): void {
    this.failedAttempts.push({ server, cause });
  }

  ended(end: SessionEnd): void {
    this.log.push(end);
  }

  /** Resolves at the `occurrence`-th notification of this kind. */
  async heard(what: string, occurrence = 1): Promise<void> {
    await eventually(() => this.log.filter((entry) => entry === what).length >= occurrence, {
      describe: `"${what}" number ${occurrence}, after ${this.log.join(', ') || 'nothing'}`,
      intervalMs: 5,
    });
  }
}

/** The events of a watch, in order. */
export class RecordingWatch {
  readonly events: WatchEvent[] = [];
  readonly listener = (event: WatchEvent): void => void this.events.push(event);

  get types(): string[] {
    return this.events.map(({ type }) => type);
  }

  async fired(occurrence = 1): Promise<WatchEvent> {
    await eventually(() => this.events.length >= occurrence, { describe: 'a watch event', intervalMs: 5 });
    return this.events[occurrence - 1]!;
  }
}

export interface TestClient extends AsyncDisposable {
  readonly client: NetworkClient;
  readonly listener: RecordingListener;
}

type Overrides = Partial<Omit<NetworkClientOptions, 'observer'>>;

/** A client before `connect()`; closed with the test. */
export function prepareClient(target: { connectString: string }, overrides: Overrides = {}): TestClient {
  const listener = new RecordingListener();
  const client = new NetworkClient({
    servers: parseConnectString(target.connectString).servers,
    sessionTimeout: LONG_SESSION,
    connectTimeout: 1_000,
    auth: [],
    clock: new SystemClock(),
    observer: listener,
    reconnectDelay: () => 20,
    ...overrides,
  });
  return { client, listener, [Symbol.asyncDispose]: () => client.close(500) };
}

/** A connected client, closed with the test. */
export async function openClient(
  target: { connectString: string },
  overrides?: Overrides,
): Promise<TestClient> {
  const opened = prepareClient(target, overrides);
  opened.client.connect();
  await opened.listener.heard('connected');
  return opened;
}
