import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GuardedProcess } from './child-process.js';
import { fourLetter, type FourLetterWord } from './four-letter.js';
import { freePorts } from './free-port.js';
import { jvmArguments, zooCfg, type ServerPorts, type ZooKeeperServerOptions } from './zookeeper-config.js';
import { requireServerKind } from './server-kind.js';
import { findZooKeeper } from './zookeeper-installation.js';
import { becomesReady } from './zookeeper-readiness.js';

export type { ZooKeeperServerOptions } from './zookeeper-config.js';

const PORT_ATTEMPTS = 5;
const MAIN_CLASS = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';

/** Another process took one of the ports before the server opened it. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
}

/** A real ZooKeeper on loopback in a separate process, which never outlives this process. */
export class ZooKeeperServer implements AsyncDisposable {
  readonly host = '127.0.0.1';
  #process: GuardedProcess | undefined;
  #paused = false;

  private constructor(
    private readonly options: ZooKeeperServerOptions,
    private readonly directory: string,
    private readonly ports: ServerPorts,
  ) {}

  /** Resolves when the server serves sessions. */
  static async start(options: ZooKeeperServerOptions = {}): Promise<ZooKeeperServer> {
    requireServerKind(['real'], '*.zookeeper.spec.ts');
    for (let attempt = 1; ; attempt++) {
      const server = await ZooKeeperServer.#prepare(options);
      try {
        await server.#launch();
        return server;
      } catch (error) {
        await server.stop();
        const another =
          error instanceof PortTakenError && options.port === undefined && attempt < PORT_ATTEMPTS;
        if (!another) throw error;
      }
    }
  }

  static async #prepare(options: ZooKeeperServerOptions): Promise<ZooKeeperServer> {
    const [free, securePort] = await freePorts(2);
    const port = options.port ?? free!;
    const directory = await mkdtemp(join(tmpdir(), 'zookeeper-'));
    const dataDir = options.dataDir ?? join(directory, 'data');
    const ports = options.tls ? { port, securePort } : { port };
    await mkdir(dataDir, { recursive: true });
    await writeFile(join(directory, 'zoo.cfg'), zooCfg(dataDir, ports, options));
    if (options.myid !== undefined) await writeFile(join(dataDir, 'myid'), String(options.myid));
    return new ZooKeeperServer(options, directory, ports);
  }

  get port(): number {
    return this.ports.port;
  }

  get connectString(): string {
    return `${this.host}:${this.port}`;
  }

  /** The TLS port; only with the option `tls`. */
  get securePort(): number {
    if (this.ports.securePort === undefined)
      throw new Error('This server was started without the option "tls".');
    return this.ports.securePort;
  }

  get pid(): number {
    if (!this.#process) throw new Error('This server is not running.');
    return this.#process.pid;
  }

  /** Kills the server and removes its files. Idempotent. */
  async stop(): Promise<void> {
    await this.kill();
    await rm(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Kills the server, as a crash would; its data remain for `restart()`. */
  async kill(): Promise<void> {
    await this.#process?.kill();
    this.#process = undefined;
    this.#paused = false;
  }

  /** Lets the JVM end as planned, which takes a second longer. */
  async shutDown(): Promise<void> {
    await this.#process?.end('SIGTERM');
  }

  /** Starts the server again, with the same port and data. */
  async restart(): Promise<void> {
    await this.kill();
    await this.#launch();
  }

  /** Sends SIGSTOP: sockets stay open, but nothing is answered. */
  pause(): void {
    this.#process?.signal('SIGSTOP');
    this.#paused = true;
  }

  resume(): void {
    this.#process?.signal('SIGCONT');
    this.#paused = false;
  }

  /** False for a killed or paused server, which answers no requests. */
  get awake(): boolean {
    return this.#process?.running === true && !this.#paused;
  }

  fourLetter(word: FourLetterWord): Promise<string> {
    return fourLetter(this, word);
  }

  /** The output of the server so far. */
  log(): Promise<string> {
    return readFile(join(this.directory, 'log'), 'utf8');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #launch(): Promise<void> {
    const { java, classPath } = findZooKeeper();
    const args = [
      ...jvmArguments(this.options),
      '-cp',
      classPath,
      MAIN_CLASS,
      join(this.directory, 'zoo.cfg'),
    ];
    const child = await GuardedProcess.start(java, args, {
      logFile: join(this.directory, 'log'),
      env: this.options.env,
      temporaryDirectory: this.directory,
    });
    this.#process = child;
    const { startTimeoutMs: timeoutMs = 30_000, dataDir = this.directory, tls } = this.options;
    const secure = tls && { host: this.host, port: this.securePort, tls };
    if (await becomesReady(this, { timeoutMs, dataDir, secure, running: () => child.running })) return;
    const error = await this.#startError(
      child.running ? `did not serve within ${timeoutMs} ms` : 'exited unexpectedly',
    );
    await this.kill();
    throw error;
  }

  async #startError(what: string): Promise<Error> {
    const log = await this.log();
    const taken = log.includes('BindException') || log.includes('Address already in use');
    const message = `ZooKeeper on port ${this.port} ${what}. The end of its log:\n${log.split('\n').slice(-40).join('\n')}`;
    return taken ? new PortTakenError(message) : new Error(message);
  }
}
