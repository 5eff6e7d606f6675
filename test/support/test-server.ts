import { EmbeddedZooKeeper } from '../../lib/testing/index.js';
import { fourLetter, type FourLetterWord } from './four-letter.js';
import { IdleServers } from './idle-servers.js';
import { requireServerKind, serverKind } from './server-kind.js';
import { NO_CONTAINER_CHECKS_MS } from './zookeeper-config.js';
import { ZooKeeperServer, type ZooKeeperServerOptions } from './zookeeper-server.js';

/** A server for tests, embedded or real. `giveBack()` and `await using` end its use, and it may go to another spec. */
export interface TestServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly connectString: string;
  fourLetter(word: FourLetterWord): Promise<string>;
  /** The spec needs the server no longer. Idempotent; without effect after `stop()`. */
  giveBack(): Promise<void>;
  /** Ends the server, for tests that need its end. */
  stop(): Promise<void>;
}

export type TestServerOptions = Pick<
  ZooKeeperServerOptions,
  'port' | 'tickTime' | 'minSessionTimeout' | 'maxSessionTimeout' | 'containerCheckIntervalMs'
>;

/** An embedded server stops while the tests block their event loop. */
export function serverBlocksWithUs(): boolean {
  return serverKind() === 'embedded';
}

const idleServers = new IdleServers();

/**
 * Starts a server of the kind of the current run: real or embedded. Suites that start a `ZooKeeperServer` or an
 * ensemble run only on real servers. A real server without special options may have served another spec before: it has
 * no nodes and no sessions, but its zxids go on.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  requireServerKind(['embedded', 'real'], '*.server.spec.ts');
  if (serverKind() === 'embedded') return EmbeddedTestServer.start(options);
  return Object.keys(options).length === 0
    ? new RealTestServer(await idleServers.take(), (server) => idleServers.giveBack(server))
    : new RealTestServer(await ZooKeeperServer.start(options), (server) => server.stop());
}

class RealTestServer implements TestServer {
  #inUse = true;

  constructor(
    private readonly server: ZooKeeperServer,
    private readonly end: (server: ZooKeeperServer) => Promise<void>,
  ) {}

  get host(): string {
    return this.server.host;
  }

  get port(): number {
    return this.server.port;
  }

  get connectString(): string {
    return this.server.connectString;
  }

  fourLetter(word: FourLetterWord): Promise<string> {
    return this.server.fourLetter(word);
  }

  async giveBack(): Promise<void> {
    if (!this.#inUse) return;
    this.#inUse = false;
    await this.end(this.server);
  }

  async stop(): Promise<void> {
    this.#inUse = false;
    await this.server.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.giveBack();
  }
}

class EmbeddedTestServer implements TestServer {
  private constructor(private readonly zookeeper: EmbeddedZooKeeper) {}

  static async start({
    containerCheckIntervalMs = NO_CONTAINER_CHECKS_MS,
    ...options
  }: TestServerOptions): Promise<TestServer> {
    return new EmbeddedTestServer(
      await EmbeddedZooKeeper.start({
        ...options,
        containerCheckInterval: containerCheckIntervalMs,
        onNotice: false,
      }),
    );
  }

  get host(): string {
    return this.zookeeper.host;
  }

  get port(): number {
    return this.zookeeper.port;
  }

  get connectString(): string {
    return this.zookeeper.connectString;
  }

  fourLetter(word: FourLetterWord): Promise<string> {
    return fourLetter(this, word);
  }

  giveBack(): Promise<void> {
    return this.stop();
  }

  stop(): Promise<void> {
    return this.zookeeper.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.giveBack();
  }
}
