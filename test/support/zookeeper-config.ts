/** No container is removed in this time. */
export const NO_CONTAINER_CHECKS_MS = 3_600_000;

/** Environment variable with the path of an archive of ZooKeeper's classes, if there is one; see `class-archive.ts`. */
export const CLASS_ARCHIVE = 'TEST_CLASS_ARCHIVE';

/** Paths of PEM files; see `createCertificates`. */
export interface ZooKeeperTls {
  /** Key and certificate of the server, in one file. */
  readonly keyStore: string;
  /** The certificate authority of the accepted clients. */
  readonly trustStore: string;
  /** Whether a client must present a certificate. @default 'need' */
  readonly clientAuth?: 'need' | 'want' | 'none';
}

export interface ZooKeeperServerOptions {
  /** @default a free port */
  readonly port?: number;
  /** `stop()` keeps this directory. @default a temporary directory, which `stop()` removes */
  readonly dataDir?: string;
  /** The server's unit of time, ms; the minimum session timeout is two ticks. @default 500 */
  readonly tickTime?: number;
  /** @default 2 ticks */
  readonly minSessionTimeout?: number;
  /** The value of most production servers, which have longer ticks. @default 40_000 */
  readonly maxSessionTimeout?: number;
  /** How often empty containers are removed. @default 3_600_000, so that no lock path goes between two requests of a test */
  readonly containerCheckIntervalMs?: number;
  /** Additional lines of `zoo.cfg`, which take precedence. */
  readonly config?: Readonly<Record<string, string | number>>;
  /** Additional options of the JVM, which take precedence. */
  readonly jvm?: readonly string[];
  readonly env?: Record<string, string>;
  /** Opens a second port for TLS. */
  readonly tls?: ZooKeeperTls;
  /** Number of this server in its ensemble. */
  readonly myid?: number;
  /** @default 30_000 */
  readonly startTimeoutMs?: number;
}

export interface ServerPorts {
  readonly port: number;
  readonly securePort?: number;
}

/** Returns the text of `zoo.cfg`. */
export function zooCfg(dataDir: string, ports: ServerPorts, options: ZooKeeperServerOptions): string {
  const { tickTime = 500 } = options;
  const lines = {
    tickTime,
    dataDir,
    clientPort: ports.port,
    clientPortAddress: '127.0.0.1',
    maxClientCnxns: 0,
    minSessionTimeout: options.minSessionTimeout ?? 2 * tickTime,
    maxSessionTimeout: options.maxSessionTimeout ?? 40_000,
    'admin.enableServer': 'false',
    '4lw.commands.whitelist': '*',
    ...tlsLines(ports, options.tls),
    ...options.config,
  };
  return Object.entries(lines)
    .map(([key, value]) => `${key}=${value}\n`)
    .join('');
}

function tlsLines({ securePort }: ServerPorts, tls?: ZooKeeperTls): Record<string, string | number> {
  if (!tls || securePort === undefined) return {};
  return {
    secureClientPort: securePort,
    secureClientPortAddress: '127.0.0.1',
    'ssl.keyStore.location': tls.keyStore,
    'ssl.trustStore.location': tls.trustStore,
    'ssl.clientAuth': tls.clientAuth ?? 'need',
  };
}

/** Options of the JVM for a fast start, little memory, and no waiting for the disk. */
export function jvmArguments({
  containerCheckIntervalMs = NO_CONTAINER_CHECKS_MS,
  tls,
  jvm = [],
}: ZooKeeperServerOptions): string[] {
  const archive = process.env[CLASS_ARCHIVE];
  return [
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    // Most servers live for seconds: what is called often is compiled, what is called ten times is not.
    '-XX:CompileThresholdScaling=10',
    '-XX:-UsePerfData',
    '-Xmx256m',
    '-Djava.net.preferIPv4Stack=true',
    '-Dorg.slf4j.simpleLogger.showDateTime=true',
    '-Dzookeeper.forceSync=no',
    '-Dzookeeper.preAllocSize=64',
    '-Dzookeeper.extendedTypesEnabled=true',
    `-Dznode.container.checkIntervalMs=${containerCheckIntervalMs}`,
    // Only Netty supports TLS; the default connections start faster.
    ...(tls ? ['-Dzookeeper.serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory'] : []),
    ...(archive === undefined ? [] : [`-XX:SharedArchiveFile=${archive}`]),
    ...jvm,
  ];
}
