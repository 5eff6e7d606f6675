import { describeValue } from '../locking/describe-value.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { isText } from '../locking/option-checks.js';
import type { Check } from '../locking/option-table.js';
import { assertResourceName } from '../locking/resource-name.js';
import {
  formatServers,
  parseConnectString,
  refusedCharacter,
  type ConnectString,
} from '../zookeeper/connect-string.js';
import { assertEscapable } from '../zookeeper/recipe/lock-path.js';

export function* checkConnectString(name: string, value: unknown): Generator<string> {
  if (!Array.isArray(value)) return yield* problemsOf(name, () => parseConnectString(value as string));
  if (value.length === 0)
    yield `\`${name}\` must be a connect string, or a list with one for each ensemble: got ${describeValue(value)}`;
  const ensembles: (ConnectString | undefined)[] = [];
  for (const [index, text] of (value as unknown[]).entries()) {
    yield* problemsOf(`${name}[${index}]`, () => (ensembles[index] = parseConnectString(text as string)));
    yield* sharedServers(name, ensembles, index);
  }
}

/** A server belongs to one ensemble. Below different chroots, one ensemble can stand for two, in a test. */
function* sharedServers(
  name: string,
  ensembles: readonly (ConnectString | undefined)[],
  index: number,
): Generator<string> {
  const { servers, chroot } = ensembles[index] ?? { servers: [], chroot: '' };
  for (const [earlier, other] of ensembles.slice(0, index).entries()) {
    if (other?.chroot !== chroot) continue;
    const known = new Set(other.servers.map((server) => formatServers([server])));
    const shared = servers.find((server) => known.has(formatServers([server])));
    if (shared !== undefined)
      yield `\`${name}[${index}]\` names ${formatServers([shared])}, and so does \`${name}[${earlier}]\`: each must be an ensemble of its own`;
  }
}

/** The ensembles of the option, in its order. */
export function parseConnectStrings(value: string | readonly string[]): [ConnectString, ...ConnectString[]] {
  const [first, ...more] = typeof value === 'string' ? [value] : value;
  return [parseConnectString(first!), ...more.map(parseConnectString)];
}

export const checkHost: Check = (name, value) => {
  // A list or a path would be read as further parts of a connect string.
  const isOneServer = isText(value) && !/[,/]/.test(value);
  if (isOneServer && problemsOf(name, () => parseConnectString(oneServer(value, 1))).length === 0) return [];
  // What is before an "@" may be a password.
  const shown = isText(value) ? value.replace(/^.*@/s, '***@') : value;
  return [`\`${name}\` must be the name or address of one server: got ${describeValue(shown)}`];
};

/** The connect string of one server. */
export function oneServer(host: string, port: number): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

export function* checkRoot(name: string, value: unknown): Generator<string> {
  if (!isText(value) || !/^(?:\/[^/]+)+$/.test(value) || /\/\.{1,2}(?:\/|$)/.test(value)) {
    yield `\`${name}\` must be an absolute path like '/locks', without a slash at its end: got ${describeValue(value)}`;
    return;
  }
  const refused = refusedCharacter(value);
  if (refused !== undefined)
    yield `\`${name}\` contains ${refused}, a character that ZooKeeper refuses in paths: got ${JSON.stringify(value)}`;
}

export const checkResourceName: Check = (name, value) =>
  problemsOf(name, () => {
    assertResourceName(value);
    assertEscapable(value);
  });

/** The problems of the option `name`, found by code that does not know its name. */
function problemsOf(name: string, parse: () => unknown): readonly string[] {
  try {
    parse();
    return [];
  } catch (error) {
    const problems = error instanceof LockConfigurationError ? error.problems : [(error as Error).message];
    return problems.map((problem) => `\`${name}\`: ${problem}`);
  }
}
