import { lookup as lookupAddresses } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import type { ServerAddress } from '../connect-string.js';

/** All addresses of a name, IPv4 and IPv6. */
export type Lookup = (name: string) => Promise<readonly string[]>;

/** One address to dial. */
export interface ResolvedAddress {
  readonly address: string;
  readonly port: number;
  /** The name it was found under; undefined if the user wrote an address. */
  readonly name?: string;
}

const systemLookup: Lookup = async (name) => {
  const found = await lookupAddresses(name, { all: true });
  return found.map(({ address }) => address);
};

/** `host:port` for logs, IPv6 in brackets. */
export function formatAddress({ address, port }: ResolvedAddress): string {
  return isIPv6(address) ? `[${address}]:${port}` : `${address}:${port}`;
}

/**
 * The addresses to try, in rounds: each round visits every address once, in random order (so that clients spread),
 * and ends with the one used last (so that a lost server is not the next one).
 *
 * Names are resolved to all their addresses, because behind one name only one server may be alive, and anew for each
 * round, because in a cluster servers come back with other addresses.
 */
export class ServerList {
  readonly #known = new Map<ServerAddress, readonly ResolvedAddress[]>();
  #round: ResolvedAddress[] = [];
  #last: string | undefined;
  #lookupFailure: Error | undefined;

  constructor(
    private readonly servers: readonly ServerAddress[],
    private readonly lookup: Lookup = systemLookup,
    private readonly random: () => number = Math.random,
  ) {
    for (const server of servers) {
      const { host, port } = server;
      if (isIP(host) !== 0) this.#known.set(server, [{ address: host, port }]);
    }
  }

  /** Why the last name that could not be resolved could not. */
  get lookupFailure(): Error | undefined {
    return this.#lookupFailure;
  }

  get isRoundEmpty(): boolean {
    return this.#round.length === 0;
  }

  /** Resolves all names; never rejects. A name that fails keeps the addresses it had. */
  async refresh(): Promise<void> {
    await Promise.all(
      this.servers.filter(({ host }) => isIP(host) === 0).map((server) => this.#resolve(server)),
    );
  }

  /** Starts a round over the addresses known now. */
  startRound(): void {
    const unique = new Map([...this.#known.values()].flat().map((entry) => [formatAddress(entry), entry]));
    const last = this.#last === undefined ? undefined : unique.get(this.#last);

    if (last !== undefined) unique.delete(formatAddress(last));
    this.#round = this.#shuffle([...unique.values()]);
    if (last !== undefined) this.#round.push(last);
  }

  /** The next address of the round, or undefined at its end. */
  next(): ResolvedAddress | undefined {
    const address = this.#round.shift();
    if (address !== undefined) this.#last = formatAddress(address);
    return address;
  }

  async #resolve(server: ServerAddress): Promise<void> {
    const { host: name, port } = server;
    try {
      const addresses = await this.lookup(name);
      this.#known.set(
        server,
        addresses.map((address) => ({ address, port, name })),
      );
    } catch (error) {
      this.#lookupFailure =
        error instanceof Error ? error : new Error(`Looking up ${name} failed: ${String(error)}`);
    }
  }

  #shuffle(addresses: ResolvedAddress[]): ResolvedAddress[] {
    for (let end = addresses.length - 1; end > 0; end -= 1) {
      const other = Math.floor(this.random() * (end + 1));
      const [a, b] = [addresses[end], addresses[other]];
      if (a !== undefined && b !== undefined) [addresses[end], addresses[other]] = [b, a];
    }
    return addresses;
  }
}
