import { isIPv6 } from 'node:net';
import { describeValue } from '../locking/describe-value.js';

const DEFAULT_PORT = 2181;
/** UTF-16 code units that ZooKeeper refuses in a path: controls, surrogates, private use, specials. */
// oxlint-disable-next-line no-control-regex -- these are the characters ZooKeeper refuses
const REFUSED = /[\u0000-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff]/;

/** One server as given: a name or an address, not yet resolved. IPv6 addresses have no brackets. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

export interface ConnectString {
  readonly servers: readonly ServerAddress[];
  /** `''` for none, else a path without a trailing slash, such as `/a/b`. */
  readonly chroot: string;
}

/**
 * Reads a connect string such as `zk1:2181,[::1]:2182,zk3/shop`.
 *
 * The parser of node-zookeeper-client reads `[` as the host of an IPv6 server, keeps ports as text and ignores what it does
 * not understand.
 *
 * @throws TypeError that prints the value and says what is accepted.
 */
export function parseConnectString(value: string): ConnectString {
  if (typeof value !== 'string' || value.trim() === '') {
    throw refusal(value, 'it must be a non-empty string');
  }
  const slash = value.indexOf('/');
  const hosts = slash === -1 ? value : value.slice(0, slash);
  if (hosts.trim() === '') throw refusal(value, 'it names no server');

  const chroot = parseChroot(slash === -1 ? '' : value.slice(slash).trim(), value);
  return { servers: hosts.split(',').map((server) => parseServer(server.trim(), value)), chroot };
}

/** Lists the servers for a message: `host:port` of each, IPv6 addresses in brackets. */
export function formatServers(servers: readonly ServerAddress[]): string {
  return servers.map(({ host, port }) => `${isIPv6(host) ? `[${host}]` : host}:${port}`).join(', ');
}

/** The first character of `path` that ZooKeeper refuses, as `U+0007`; undefined if there is none. */
export function refusedCharacter(path: string): string | undefined {
  const [unit] = REFUSED.exec(path) ?? [];
  return unit && `U+${unit.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function parseServer(server: string, value: string): ServerAddress {
  const match = /^(?:\[(?<ipv6>[^\]]*)\]|(?<name>[^:[\]\s@?#]+))(?::(?<port>.*))?$/.exec(server);
  const { ipv6, name, port } = match?.groups ?? {};

  if (server === '') throw refusal(value, 'there is an empty server between the commas');
  if (ipv6 === undefined && name === undefined) {
    const hint = isIPv6(server) ? '; an IPv6 address needs brackets' : '';
    throw refusal(value, `${JSON.stringify(server)} is not a server${hint}`);
  }
  if (ipv6 !== undefined && !isIPv6(ipv6))
    throw refusal(value, `${JSON.stringify(ipv6)} is not an IPv6 address`);
  return { host: ipv6 ?? name ?? '', port: parsePort(port, server, value) };
}

function parsePort(port: string | undefined, server: string, value: string): number {
  if (port === undefined) return DEFAULT_PORT;
  const number = /^\d{1,5}$/.test(port) ? Number(port) : 0;

  if (number < 1 || number > 65_535) {
    throw refusal(value, `the port of ${JSON.stringify(server)} is not a number from 1 to 65535`);
  }
  return number;
}

function parseChroot(chroot: string, value: string): string {
  if (chroot === '' || chroot === '/') return '';
  if (chroot.endsWith('/')) throw refusal(value, 'the chroot path ends with a slash');

  const segments = chroot.slice(1).split('/');
  if (segments.includes('')) throw refusal(value, 'the chroot path has an empty segment; it is not a URL');
  if (segments.some((segment) => segment === '.' || segment === '..')) {
    throw refusal(value, 'the chroot path has a relative segment');
  }
  const refused = refusedCharacter(chroot);
  if (refused !== undefined) {
    throw refusal(value, `the chroot path contains ${refused}, a character that ZooKeeper refuses in paths`);
  }
  if (chroot.includes(',')) throw refusal(value, 'the chroot path must follow the last server');
  return chroot;
}

function refusal(value: unknown, problem: string): TypeError {
  const [shown, reason] = withoutSecrets(value, problem);
  return new TypeError(
    `Invalid connect string ${shown}: ${reason}. ` +
      'Expected "host[:port][,host[:port]...][/chroot]", such as "zk1:2181,[::1]:2182/shop".',
  );
}

/** The text before an "@" may contain a password, and the reason may quote a part of it. */
function withoutSecrets(value: unknown, reason: string): [shown: string, reason: string] {
  if (typeof value !== 'string') return [describeValue(value), reason];
  const at = value.lastIndexOf('@');
  if (at === -1) return [`${JSON.stringify(value)} (string)`, reason];
  return [
    `${JSON.stringify(`***${value.slice(at)}`)} (string)`,
    'credentials in the connect string are not supported (value redacted); use the `auth` option',
  ];
}
