import { EmbeddedZooKeeper } from '../../lib/testing/index.js';
import { fourLetter, type FourLetterWord } from './four-letter.js';
import { requireServerKind, serverKind } from './server-kind.js';
import { NO_CONTAINER_CHECKS_MS } from './zookeeper-config.js';
import { ZooKeeperServer, type ZooKeeperServerOptions } from './zookeeper-server.js';

/** A server for tests, embedded or real. */
export interface TestServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  readonly connectString: string;
  fourLetter(word: FourLetterWord): Promise<string>;
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

/**
 * Starts a server of the kind of the current run: real or embedded. Suites that start a `ZooKeeperServer` or an
 * ensemble run only on real servers.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  requireServerKind(['embedded', 'real'], '*.server.spec.ts');
  return serverKind() === 'embedded' ? EmbeddedTestServer.start(options) : ZooKeeperServer.start(options);
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

  stop(): Promise<void> {
    return this.zookeeper.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
