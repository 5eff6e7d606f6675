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
 * no nodes and no sessions, but its zxids and the versions of `/` go on.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  requireServerKind(['embedded', 'real'], '*.server.spec.ts');
  if (serverKind() === 'embedded') return new ServerInUse(await startEmbedded(options));
  if (Object.keys(options).length > 0) return new ServerInUse(await ZooKeeperServer.start(options));
  const server = await idleServers.take();
  return new ServerInUse(server, () => idleServers.giveBack(server));
}

function startEmbedded(options: TestServerOptions): Promise<EmbeddedZooKeeper> {
  const { containerCheckIntervalMs = NO_CONTAINER_CHECKS_MS, ...rest } = options;
  return EmbeddedZooKeeper.start({
    ...rest,
    containerCheckInterval: containerCheckIntervalMs,
    onNotice: false,
  });
}

class ServerInUse implements TestServer {
  readonly host: string;
  readonly port: number;
  readonly connectString: string;
  #inUse = true;

  constructor(
    private readonly server: EmbeddedZooKeeper | ZooKeeperServer,
    private readonly end = () => server.stop(),
  ) {
    ({ host: this.host, port: this.port, connectString: this.connectString } = server);
  }

  fourLetter(word: FourLetterWord): Promise<string> {
    return fourLetter(this, word);
  }

  async giveBack(): Promise<void> {
    if (!this.#inUse) return;
    this.#inUse = false;
    await this.end();
  }

  async stop(): Promise<void> {
    this.#inUse = false;
    await this.server.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.giveBack();
  }
}
