import { createSecureContext } from 'node:tls';
import { describeValue } from '../locking/describe-value.js';
import { isOptionsObject } from '../locking/options-object.js';
import { validateUnset } from './unset-options.js';

const ACCEPTED = '`tls` must be options of `tls.connect`, such as { ca, cert, key }';
const SECRETS = ['ca', 'cert', 'key', 'pfx', 'passphrase'] as const;
/** What Node reads as PEM. It silently ignores a `ca` that contains no certificate. */
const PEM = ['ca', 'cert', 'key'] as const;

/** Every problem of the option `tls`, as sentences that show none of its values. */
export function* checkTls(_name: string, tls: unknown): Generator<string> {
  if (!isOptionsObject(tls)) {
    yield `${ACCEPTED}: got ${typeof tls === 'string' ? 'a string' : describeValue(tls)}`;
    return;
  }
  const problems = [...validateMembers(tls)];
  if (problems.length > 0) yield* problems;
  else yield* validateContext(tls);
}

function* validateMembers(tls: object): Generator<string> {
  for (const name of SECRETS) {
    if (!Object.hasOwn(tls, name)) continue;
    for (const value of listOf(Reflect.get(tls, name))) {
      yield* validateUnset(`tls.${name}`, value, 'leave the key out');
    }
  }
  for (const name of PEM) {
    if (listOf(Reflect.get(tls, name)).some(isNotPem)) {
      yield (
        `\`tls.${name}\` is not PEM text, which contains "-----BEGIN". If it is a file name, read the file: ` +
        `{ ${name}: readFileSync(...) }`
      );
    }
  }
}

/** Shows only the code of Node's error, because its text may contain values. */
function* validateContext(tls: object): Generator<string> {
  try {
    createSecureContext(tls);
  } catch (error) {
    yield `${ACCEPTED}: Node refuses them with ${(error as NodeJS.ErrnoException).code ?? 'an error'}`;
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Such as a path, the name of a variable, or DER. Node itself checks keys that are objects. */
function isNotPem(value: unknown): boolean {
  return (
    (Buffer.isBuffer(value) || (typeof value === 'string' && value !== '')) && !value.includes('-----BEGIN')
  );
}
