import type { ProposalOrigin } from './messages.js';

interface Proposed {
  readonly zxid: bigint;
  readonly waiting: (() => void)[];
}

/** What a leader has proposed, and who has it on disk. Commits in the order of the zxids. */
export class Proposals {
  readonly #origins = new Map<bigint, ProposalOrigin>();
  readonly #outstanding: Proposed[] = [];
  /** Per server: everything up to this zxid is on its disk. */
  readonly #acknowledged = new Map<number, bigint>();
  #committed = 0n;

  constructor(
    readonly quorum: number,
    private readonly commit: (zxid: bigint) => void,
  ) {}

  /** The last zxid that is committed. */
  get committed(): bigint {
    return this.#committed;
  }

  add(zxid: bigint, origin: ProposalOrigin): void {
    this.#outstanding.push({ zxid, waiting: [] });
    this.#origins.set(zxid, origin);
  }

  take(zxid: bigint): ProposalOrigin | undefined {
    const origin = this.#origins.get(zxid);
    this.#origins.delete(zxid);
    return origin;
  }

  /** Calls back when everything that is outstanding now is committed. */
  whenCommitted(done: () => void): void {
    const last = this.#outstanding.at(-1);
    if (last === undefined) done();
    else last.waiting.push(done);
  }

  /** What the server had on disk before may be gone. */
  joined(server: number): void {
    this.#acknowledged.delete(server);
  }

  /** Acknowledgements of one server come in order. */
  acknowledged(server: number, zxid: bigint): void {
    this.#acknowledged.set(server, zxid);
    const zxids = [...this.#acknowledged.values()].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0));
    const onQuorum = zxids[this.quorum - 1];
    if (onQuorum === undefined || onQuorum <= this.#committed) return;
    this.#committed = onQuorum;
    this.commit(onQuorum);
    while (this.#outstanding[0] !== undefined && this.#outstanding[0].zxid <= onQuorum)
      for (const done of this.#outstanding.shift()!.waiting) done();
  }
}
