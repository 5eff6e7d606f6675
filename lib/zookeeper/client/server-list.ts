import { lookup as lookupAddresses } from 'node:dns/promises';
import { isIP, isIPv6 } from 'node:net';
import { systemRandom, type RandomSource } from '../../locking/random-source.js';
import type { ServerAddress } from '../connect-string.js';
import type { LookupError } from './lookup-error.js';
import { NameLookups, type Lookup } from './name-lookups.js';

export type { Lookup } from './name-lookups.js';

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

export interface ServerListOptions {
  /** Default: the system's. */
  readonly lookup?: Lookup | undefined;
  /** Default: the system's. */
  readonly random?: Pick<RandomSource, 'fraction'> | undefined;
  /**
   * Addresses with different names are different servers: with TLS, the name chooses the server behind a proxy, and the certificate
   * has to match it. Default: false.
   */
  readonly byName?: boolean;
}

/**
 * The addresses to try, in rounds: each round visits every address once, in random order (so that clients spread),
 * and ends with the one used last (so that a lost server is not the next one).
 *
 * Names are resolved to all their addresses, because only one of the servers behind a name may be alive. They are resolved
 * again for each round, because servers of a cluster come back with other addresses.
 */
export class ServerList {
  readonly #lookups: NameLookups;
  readonly #names: ReadonlySet<string>;
  #round: ResolvedAddress[] = [];
  #last: string | undefined;

  readonly #random: Pick<RandomSource, 'fraction'>;
  readonly #byName: boolean;

  constructor(
    private readonly servers: readonly ServerAddress[],
    { lookup = systemLookup, random = systemRandom, byName = false }: ServerListOptions = {},
  ) {
    this.#lookups = new NameLookups(lookup);
    this.#random = random;
    this.#byName = byName;
    this.#names = new Set(servers.map(({ host }) => host).filter((host) => isIP(host) === 0));
  }

  /** Why names have no addresses, or only those they had before. */
  get lookupFailure(): LookupError | undefined {
    return this.#lookups.failure;
  }

  /** How many addresses a round has, as far as it is known: a name counts once until it has been resolved. */
  get size(): number {
    return this.servers.reduce((sum, { host }) => sum + (this.#lookups.addresses(host)?.length ?? 1), 0);
  }

  /**
   * Resolves all names; never rejects. A name that fails keeps the addresses it had. A lookup that already kept an
   * earlier round waiting is waited for again only if there is no address at all.
   */
  async refresh(): Promise<void> {
    const started = [...this.#names].map((name) => this.#lookups.start(name));
    await (this.#knowsAnAddress ? Promise.all(started) : this.#lookups.allEnded());
  }

  /** Starts a round over the addresses known now. */
  startRound(): void {
    const addresses = this.servers.flatMap((server) => this.#addressesOf(server));
    const unique = new Map(addresses.map((entry) => [this.#keyOf(entry), entry]));
    const last = this.#last === undefined ? undefined : unique.get(this.#last);

    if (last !== undefined) unique.delete(this.#keyOf(last));
    this.#round = this.#shuffle([...unique.values()]);
    if (last !== undefined) this.#round.push(last);
  }

  /** The next address of the round, or undefined at its end. */
  next(): ResolvedAddress | undefined {
    const address = this.#round.shift();
    if (address !== undefined) this.#last = this.#keyOf(address);
    return address;
  }

  #keyOf(address: ResolvedAddress): string {
    const { name } = address;
    return this.#byName && name !== undefined ? `${name} ${formatAddress(address)}` : formatAddress(address);
  }

  get #knowsAnAddress(): boolean {
    return this.servers.some((server) => this.#addressesOf(server).length > 0);
  }

  #addressesOf({ host, port }: ServerAddress): ResolvedAddress[] {
    if (isIP(host) !== 0) return [{ address: host, port }];
    return (this.#lookups.addresses(host) ?? []).map((address) => ({ address, port, name: host }));
  }

  #shuffle(addresses: ResolvedAddress[]): ResolvedAddress[] {
    for (let end = addresses.length - 1; end > 0; end -= 1) {
      const other = Math.floor(this.#random.fraction() * (end + 1));
      const [a, b] = [addresses[end], addresses[other]];
      if (a !== undefined && b !== undefined) [addresses[end], addresses[other]] = [b, a];
    }
    return addresses;
  }
}
