import { OP } from '../protocol/op-codes.js';
import type { Dispatch, ErrorOf, PendingRequest } from './pending-request.js';
import type { FrameSizeGuard } from './frame-size-guard.js';
import type { JuteReader } from './jute-reader.js';
import { readStepResults } from './replies.js';
import type { Passage } from './send-window.js';
import { bytesOfStep, EMPTY_TRANSACTION_BYTES, encodeTransaction } from './transaction-frame.js';
import type { RequestPriority } from './zookeeper-client.interface.js';

/**
 * One write for so many locks is cheap enough. With more, the servers would wait for this process, and this process for them: so it
 * deals with the answers to one transaction while they execute the next one. A transaction holds up the heartbeat behind it as
 * a whole (H62).
 */
const MOST_STEPS = 32;
const MOST_BYTES = 256 * 1024;

/**
 * Creates and deletes that leave at the same time as one transaction: the servers write it once to their disks, and not
 * once for each. No two creates are of one lane, because nodes that are created together have the same czxid, and
 * contenders of one lock must not (their tokens come from it).
 *
 * A transaction that is refused has had no effect at all. Its requests are then sent one by one, so that each gets the
 * answer that it would have got alone.
 */
export class RequestGroup implements Dispatch {
  readonly isShared = false;
  readonly path: string | undefined;
  readonly priority: RequestPriority;
  xid = 0;
  passage: Passage | undefined;
  readonly #members: PendingRequest[] = [];
  readonly #frames: Buffer[] = [];
  /** Where it creates a node. */
  readonly #joined = new Set<string>();
  #bytes = EMPTY_TRANSACTION_BYTES;

  /** @param sendAlone called for each member of a refused transaction, to send it without the others */
  constructor(
    private readonly first: PendingRequest,
    private readonly sizes: FrameSizeGuard,
    private readonly sendAlone: (member: PendingRequest) => void,
  ) {
    this.path = first.path;
    this.priority = first.priority;
  }

  get size(): number {
    return this.#members.length;
  }

  /** Takes a request in, if it may leave with the others. */
  takes(request: PendingRequest): boolean {
    return (this.size > 0 || this.#takes(this.first)) && this.#takes(request);
  }

  #takes(request: PendingRequest): boolean {
    const { step, lane } = request;
    if (step === undefined || this.size === MOST_STEPS) return false;
    if (step.mayBeTaken === true && this.priority === 'grant') return false;
    const isCreate = step.type === OP.CREATE;
    if (isCreate && this.#joined.has(lane)) return false;
    const frame = encodedOrNone(request);
    if (frame === undefined) return false;
    const bytes = this.#bytes + bytesOfStep(frame);
    if (bytes > MOST_BYTES || !this.sizes.isProven(bytes)) return false;

    this.#bytes = bytes;
    if (isCreate) this.#joined.add(lane);
    this.#members.push(request);
    this.#frames.push(frame);
    return true;
  }

  encode(): Buffer {
    return encodeTransaction(this.#steps.map(({ type }, index) => ({ type, frame: this.#frames[index]! })));
  }

  leave(): void {
    this.#frames.length = 0;
    for (const member of this.#members) member.leave();
  }

  tellSent(): void {
    for (const member of this.#members) member.tellSent();
  }

  readAnswer(body: JuteReader, zxid: bigint): () => void {
    const results = readStepResults(this.#steps, body, zxid);
    if (results === undefined) return () => this.#sendSingly();
    return () => {
      for (const [index, member] of this.#members.entries()) member.succeed(results[index]);
    };
  }

  fail(errorOf: ErrorOf, code?: number): void {
    if (code !== undefined && !errorOf(this.path).mayHaveBeenApplied) return this.#sendSingly();
    for (const member of this.#members) member.fail(errorOf, code);
  }

  #sendSingly(): void {
    for (const member of this.#members) {
      member.leaveAlone();
      this.sendAlone(member);
    }
  }

  get #steps() {
    return this.#members.map(({ step }) => step!);
  }
}

/** A request that cannot be encoded fails when it is its turn to leave. */
function encodedOrNone(request: PendingRequest): Buffer | undefined {
  try {
    return request.encode();
  } catch {
    return undefined;
  }
}
