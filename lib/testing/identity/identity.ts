import { createHash } from 'node:crypto';

/** Who a connection is; one connection can be several. */
export interface Identity {
  readonly scheme: string;
  readonly id: string;
}

/** The identity that credentials of scheme `digest` (`user:password`) prove. */
export function digestIdentity(credentials: Buffer): Identity {
  const user = credentials.toString('utf8').split(':', 1)[0]!;
  const hash = createHash('sha1').update(credentials).digest('base64');
  return { scheme: 'digest', id: `${user}:${hash}` };
}

/** What others may know of an identity. */
export function userName({ scheme, id }: Identity): string {
  return scheme === 'digest' ? id.split(':', 1)[0]! : id;
}
