import { FaultProxy } from './fault-proxy.js';
import { RawSession } from './raw-session.js';
import { ZooKeeperServer, type ZooKeeperServerOptions } from './zookeeper-server.js';

/** A fault proxy with one session through it, and a node for the test. */
export interface ProxiedSession {
  readonly proxy: FaultProxy;
  readonly session: RawSession;
  readonly base: string;
}

const FOR_EVER = 3_600_000;

/** A server with one direct session and any number of sessions behind proxies. */
export class ProxiedServer {
  private constructor(
    readonly server: ZooKeeperServer,
    readonly direct: RawSession,
  ) {}

  static async start(options: ZooKeeperServerOptions = {}): Promise<ProxiedServer> {
    const server = await ZooKeeperServer.start({ maxSessionTimeout: FOR_EVER, ...options });
    return new ProxiedServer(server, await RawSession.connect(server, { sessionTimeout: FOR_EVER }));
  }

  async proxied(): Promise<ProxiedSession> {
    const { path: base } = await this.direct.create2('/base-', 'persistent-sequential');
    const proxy = await FaultProxy.start(this.server);
    const session = await RawSession.connect(proxy, { sessionTimeout: FOR_EVER });
    return { proxy, session, base };
  }

  /** The state of the server, read without a proxy. */
  async has(path: string): Promise<boolean> {
    return (await this.direct.exists(path)) !== null;
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }
}
