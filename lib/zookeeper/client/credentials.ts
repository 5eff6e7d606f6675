export interface Credential {
  readonly scheme: string;
  readonly credential: Buffer;
}

/** What the client shows to every server, in the order it was given. */
export class Credentials {
  readonly #known: Credential[] = [];

  /** A copy: the caller may wipe its own. Undefined if it is known already, so that none piles up. */
  add({ scheme, credential }: Credential): Credential | undefined {
    if (this.#known.some((known) => known.scheme === scheme && known.credential.equals(credential)))
      return undefined;
    const added = { scheme, credential: Buffer.from(credential) };
    this.#known.push(added);
    return added;
  }

  [Symbol.iterator](): IterableIterator<Credential> {
    return this.#known.values();
  }
}
