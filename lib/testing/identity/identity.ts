import { createHash } from 'node:crypto';

/** An identity of a connection, which can have several. */
export interface Identity {
  readonly scheme: string;
  readonly id: string;
}

/** The identity for credentials of scheme `digest` (`user:password`). */
export function digestIdentity(credentials: Buffer): Identity {
  const user = credentials.toString('utf8').split(':', 1)[0]!;
  const hash = createHash('sha1').update(credentials).digest('base64');
  return { scheme: 'digest', id: `${user}:${hash}` };
}

/** The public part of an identity. */
export function userName({ scheme, id }: Identity): string {
  return scheme === 'digest' ? id.split(':', 1)[0]! : id;
}
