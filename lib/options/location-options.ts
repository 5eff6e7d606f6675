import { describeValue } from '../locking/describe-value.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { isText, mustBe } from '../locking/option-checks.js';
import type { Check } from '../locking/option-table.js';
import { assertResourceName } from '../locking/resource-name.js';
import { parseConnectString, refusedCharacter } from '../zookeeper/connect-string.js';
import { assertEscapable } from '../zookeeper/recipe/lock-path.js';

export const checkConnectString: Check = (_name, value) =>
  problemsOf(() => parseConnectString(value as string));

export const checkHost: Check = (name, value) => {
  // A list or a path would be read as further parts of a connect string.
  if (isText(value) && !/[,/]/.test(value)) return problemsOf(() => parseConnectString(oneServer(value, 1)));
  return [`\`${name}\` must be the name or address of one server: got ${describeValue(value)}`];
};

export const checkPort: Check = mustBe(
  'a whole number from 1 to 65535',
  (value) => Number.isInteger(value) && (value as number) > 0 && (value as number) < 65_536,
);

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

export const checkResourceName: Check = (_name, value) =>
  problemsOf(() => {
    assertResourceName(value);
    assertEscapable(value);
  });

function problemsOf(parse: () => unknown): readonly string[] {
  try {
    parse();
    return [];
  } catch (error) {
    return error instanceof LockConfigurationError ? error.problems : [(error as Error).message];
  }
}
