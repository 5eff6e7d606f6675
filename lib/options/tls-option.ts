import { createSecureContext } from 'node:tls';
import { describeValue } from '../locking/describe-value.js';
import { validateUnset } from './unset-options.js';

const ACCEPTED = '`tls` must be options of `tls.connect`, such as { ca, cert, key }';
const SECRETS = ['ca', 'cert', 'key', 'pfx', 'passphrase'] as const;
/** What is read as PEM. Node takes a `ca` without any certificate for none, and says nothing. */
const PEM = ['ca', 'cert', 'key'] as const;

/** Every problem of the option `tls`, as sentences that show none of its values. */
export function* checkTls(_name: string, tls: unknown): Generator<string> {
  if (typeof tls !== 'object' || tls === null) {
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
        `\`tls.${name}\` is no PEM text, which has "-----BEGIN": a file name is not enough. Read the file: ` +
        `{ ${name}: readFileSync(...) }`
      );
    }
  }
}

/** Names the code of what Node says about it, and not the text: that shows values. */
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

/** A path, the name of a variable, or DER. Keys may be objects of Node, which it judges itself. */
function isNotPem(value: unknown): boolean {
  return (
    (Buffer.isBuffer(value) || (typeof value === 'string' && value !== '')) && !value.includes('-----BEGIN')
  );
}
