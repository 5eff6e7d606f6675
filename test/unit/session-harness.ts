import { ServerSession } from '../../lib/zookeeper/session/server-session.js';
import type { Connection, SessionObserver } from '../../lib/zookeeper/session-observer.interface.js';
import { FakeClock } from './fake-clock.js';
import { ScriptedClient } from './scripted-client.js';

export const T = 12_000;
export const MARGIN = 120;

/** A session on a scripted client and a fake clock, with one observer that records everything. */
export class SessionUnderTest {
  readonly clock = new FakeClock();
  readonly client = new ScriptedClient();
  readonly warnings: string[] = [];
  readonly log: string[] = [];
  readonly session = new ServerSession({
    clock: this.clock,
    sessionTimeout: T,
    createClient: () => this.client,
    warn: (message) => this.warnings.push(message),
  });

  constructor() {
    this.session.observe(this.observer());
  }

  /** Records into the log, with a name if there are several observers. */
  observer(name = ''): SessionObserver {
    const record = (what: string) => void this.log.push(`${name}${what}`);
    return {
      connected: () => record('connected'),
      disconnected: () => record('disconnected'),
      deadlinePassed: () => record('deadlinePassed'),
      renewed: () => record('renewed'),
      ended: (end) => record(end),
    };
  }

  /** A server accepts a request that was sent now, or at `requestedAt`, and has not answered the credentials yet. */
  accept(over: Partial<Connection> = {}): void {
    this.session.accepted(this.connectionOf(over));
  }

  /** Connects with a request that was sent now, or at `requestedAt`. */
  connect(over: Partial<Connection> = {}): void {
    this.client.connected = true;
    this.client.sessionId = 0x1n;
    this.accept(over);
    this.session.connected(this.connectionOf(over));
  }

  private connectionOf(over: Partial<Connection>): Connection {
    const requestedAt = this.clock.elapsed();
    return { sessionId: 0x1n, sessionTimeout: T, requestedAt, server: 'zk1:2181', ...over };
  }

  /** The same, and a quorum answers on it. */
  async attach(over: Partial<Connection> = {}): Promise<void> {
    this.connect(over);
    await this.acknowledge();
  }

  /** Commits the heartbeat in flight. */
  async acknowledge(): Promise<void> {
    this.client.last.acknowledge();
    await this.clock.run(0);
  }

  disconnect(): void {
    this.client.connected = false;
    this.session.disconnected(new Error('cut'));
  }

  /** Lets `ms` pass with a server that acknowledges every heartbeat at once. */
  async live(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 100) {
      await this.clock.run(Math.min(left, 100));
      this.client.commits.at(-1)?.acknowledge();
      await this.clock.run(0);
    }
  }
}
