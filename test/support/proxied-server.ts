import { FaultProxy } from './fault-proxy.js';
import { RawSession } from './raw-session.js';
import { ZooKeeperServer, type ZooKeeperServerOptions } from './zookeeper-server.js';

/** A fault proxy with one session through it, and a node of their own to play with. */
export interface ProxiedSession {
  readonly proxy: FaultProxy;
  readonly session: RawSession;
  readonly base: string;
}

const FOR_EVER = 3_600_000;

/** A server with one session that no fault reaches, and as many behind proxies as are asked for. */
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

  /** The truth, whatever the proxies tell. */
  async has(path: string): Promise<boolean> {
    return (await this.direct.exists(path)) !== null;
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }
}
