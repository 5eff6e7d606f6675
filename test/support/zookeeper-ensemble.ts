import { eventually } from './eventually.js';
import { fourLetter } from './four-letter.js';
import { freePorts } from './free-port.js';
import { TcpLink } from './tcp-link.js';
import { PortTakenError, ZooKeeperServer, type ZooKeeperServerOptions } from './zookeeper-server.js';

export interface ZooKeeperEnsembleOptions extends Omit<ZooKeeperServerOptions, 'port' | 'dataDir' | 'myid'> {
  /** @default 3 */
  readonly servers?: number;
  /** The maximum number of ticks for a follower to connect and catch up. @default 20 */
  readonly initLimit?: number;
  /** The number of ticks after which a leader drops a follower that lags. @default 10 */
  readonly syncLimit?: number;
  /** Puts a `TcpLink` between each follower and its leader. @default false */
  readonly stallableLinks?: boolean;
}

interface MemberPorts {
  readonly client: number;
  readonly quorum: number;
  readonly election: number;
}

const HOST = '127.0.0.1';
const PORT_ATTEMPTS = 5;

/** Several real ZooKeeper servers on loopback that form one ensemble. */
export class ZooKeeperEnsemble implements AsyncDisposable {
  #servers: ZooKeeperServer[] = [];
  /** The links, by the numbers of follower and leader. */
  readonly #links = new Map<string, TcpLink>();

  private constructor(private readonly ports: readonly MemberPorts[]) {}

  /** Resolves when every server serves sessions. */
  static async start(options: ZooKeeperEnsembleOptions = {}): Promise<ZooKeeperEnsemble> {
    for (let attempt = 1; ; attempt++) {
      const ensemble = new ZooKeeperEnsemble(await memberPorts(options.servers ?? 3));
      try {
        await ensemble.#launch(options);
        return ensemble;
      } catch (error) {
        await ensemble.stop();
        if (!(error instanceof PortTakenError) || attempt === PORT_ATTEMPTS) throw error;
      }
    }
  }

  get servers(): readonly ZooKeeperServer[] {
    return this.#servers;
  }

  get connectString(): string {
    return this.#servers.map((server) => server.connectString).join(',');
  }

  /** Resolves with the leader; waits until an election has ended. */
  leader(): Promise<ZooKeeperServer> {
    return eventually(async () => (await this.#inMode('leader'))[0] ?? false, { describe: 'a leader' });
  }

  /** Resolves with the servers that currently report to be followers. */
  followers(): Promise<ZooKeeperServer[]> {
    return this.#inMode('follower');
  }

  /** All servers but one: the followers of a leader, including those that do not report it yet. */
  allBut(leader: ZooKeeperServer): ZooKeeperServer[] {
    return this.#servers.filter((server) => server !== leader);
  }

  /** The link between `follower` and `leader`; only with `stallableLinks`. */
  link(follower: ZooKeeperServer, leader: ZooKeeperServer): TcpLink {
    const link = this.#links.get(linkKey(this.#servers.indexOf(follower), this.#servers.indexOf(leader)));
    if (!link)
      throw new Error('No such link: two servers of an ensemble with the option "stallableLinks" have one.');
    return link;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
    for (const link of this.#links.values()) link.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #launch(options: ZooKeeperEnsembleOptions): Promise<void> {
    if (options.stallableLinks) await this.#openLinks();
    const starts = this.ports.map((_, index) => ZooKeeperServer.start(this.#serverOptions(index, options)));
    const results = await Promise.allSettled(starts);
    this.#servers = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [result] : []));
    // One port in use also prevents the quorum of the others, so this is the failure to report.
    const failure = failures.find(({ reason }) => reason instanceof PortTakenError) ?? failures[0];
    if (failure) throw failure.reason;
  }

  async #openLinks(): Promise<void> {
    for (const follower of this.ports.keys()) {
      for (const [leader, { quorum }] of this.ports.entries()) {
        if (follower === leader) continue;
        this.#links.set(linkKey(follower, leader), await TcpLink.start({ host: HOST, port: quorum }));
      }
    }
  }

  /**
   * In each server's configuration, the addresses of its peers are its links, and its own address is the actual one.
   */
  #serverOptions(self: number, options: ZooKeeperEnsembleOptions): ZooKeeperServerOptions {
    const peers = this.ports.map(({ quorum, election }, peer) => {
      const port = this.#links.get(linkKey(self, peer))?.port ?? quorum;
      return [`server.${peer + 1}`, `${HOST}:${port}:${election}`];
    });
    const { initLimit = 20, syncLimit = 10 } = options;
    const config = { initLimit, syncLimit, ...Object.fromEntries(peers), ...options.config };
    return { ...options, port: this.ports[self]!.client, myid: self + 1, config };
  }

  async #inMode(mode: 'leader' | 'follower'): Promise<ZooKeeperServer[]> {
    const awake = this.#servers.filter((server) => server.awake);
    const answers = await Promise.all(
      // A server without a quorum is in neither mode; a slow one may be in this mode.
      awake.map((server) => fourLetter(server, 'srvr', 3_000).catch(() => '')),
    );
    return awake.filter((_, index) => answers[index]!.includes(`Mode: ${mode}`));
  }
}

function linkKey(follower: number, leader: number): string {
  return `${follower}>${leader}`;
}

async function memberPorts(servers: number): Promise<MemberPorts[]> {
  const ports = await freePorts(3 * servers);
  return Array.from({ length: servers }, (_, index) => {
    const [client, quorum, election] = ports.slice(3 * index);
    return { client: client!, quorum: quorum!, election: election! };
  });
}
