import type { JuteReader } from './jute-reader.js';
import type { JuteRequest } from './jute.interface.js';
import type { PayloadReader, TransactionStep } from './replies.js';
import type { Passage } from './send-window.js';
import type { RequestBounds, RequestPriority } from './zookeeper-client.interface.js';
import type { ZooKeeperError } from './zookeeper-error.js';

/** How a request ends, exactly once. */
export interface Settlement<T> {
  resolve(payload: T): void;
  /** `code` is the server's; undefined if no reply came. */
  reject(error: ZooKeeperError, code?: number): void;
}

/** A request to be sent, with its place in the order of sending. */
export interface OutgoingRequest<T> extends Pick<RequestBounds, 'priority' | 'lane' | 'sent'> {
  readonly path: string | undefined;
  /** Called when it leaves: a crowd that asks at once must not be encoded in one turn. Throws for bad arguments. */
  readonly build: () => JuteRequest;
  readonly read: PayloadReader<T>;
  readonly settlement: Settlement<T>;
  /** Calls that read the same, and have not left yet, are answered by one request. */
  readonly isShared?: boolean;
  /** It may leave as a step of a transaction. */
  readonly step?: TransactionStep<T>;
}

/** Makes the error of a request out of its path. */
export type ErrorOf = (path: string | undefined) => ZooKeeperError;

/** What leaves in one frame: a request, or several as one transaction. */
export interface Dispatch {
  readonly path: string | undefined;
  readonly priority: RequestPriority;
  readonly isShared: boolean;
  /** Set when it is sent. */
  xid: number;
  /** Set when it is sent within the window; what keeps the session is not counted there. */
  passage: Passage | undefined;

  /** Its frame, without a transaction id. Throws if it cannot be encoded. */
  encode(): Buffer;
  /** Its frame is about to be sent. */
  leave(): void;
  /** Its bytes are with the socket. */
  tellSent(): void;
  /** Returns how to hand the answer on; throws if it is malformed. `zxid` is that of the reply. */
  readAnswer(body: JuteReader, zxid: bigint): () => void;
  /** `code` is the server's; undefined if no reply came. */
  fail(errorOf: ErrorOf, code?: number): void;
}

/** Gives the request up for one caller; true if it has been sent, and so may be executed. */
export type Withdraw = () => boolean;

interface Caller {
  readonly settlement: Settlement<unknown>;
  sent: (() => void) | undefined;
}

/**
 * One request of a connection: `waiting` → `sent`, or `waiting` → `withdrawn` when no caller is left. A step of a
 * transaction that was refused goes from `sent` back to `waiting`, or to `withdrawn` if its caller has given up meanwhile.
 */
export class PendingRequest implements Dispatch {
  readonly path: string | undefined;
  readonly priority: RequestPriority;
  readonly lane: string;
  readonly isShared: boolean;
  xid = 0;
  passage: Passage | undefined;
  #step: TransactionStep<unknown> | undefined;
  readonly #build: () => JuteRequest;
  readonly #read: PayloadReader<unknown>;
  readonly #callers = new Set<Caller>();
  #state: 'waiting' | 'sent' | 'withdrawn' = 'waiting';

  constructor(outgoing: OutgoingRequest<unknown>) {
    const { path, build, read, priority = 'queue', lane = '', isShared = false, step } = outgoing;
    this.path = path;
    this.#build = build;
    this.priority = priority;
    this.lane = lane;
    this.isShared = isShared;
    this.#read = read;
    this.#step = step;
  }

  get isWaiting(): boolean {
    return this.#state === 'waiting';
  }

  /** Undefined if it has to leave alone. */
  get step(): TransactionStep<unknown> | undefined {
    return this.#step;
  }

  addCaller({ settlement, sent }: Pick<OutgoingRequest<unknown>, 'settlement' | 'sent'>): Withdraw {
    const caller = { settlement, sent };
    this.#callers.add(caller);
    return () => {
      const isSent = this.#state === 'sent';
      // A step may have to be sent again: after a clean-up that has not found its node, that would leave one behind.
      if (!isSent || this.#step !== undefined) this.#callers.delete(caller);
      if (!isSent && this.#callers.size === 0) this.#state = 'withdrawn';
      return isSent;
    };
  }

  encode(): Buffer {
    return this.#build().toBuffer();
  }

  leave(): void {
    this.#state = 'sent';
  }

  /** The transaction that it was part of was refused: it has had no effect, and has to leave alone, if still wanted. */
  leaveAlone(): void {
    this.#step = undefined;
    this.#state = this.#callers.size === 0 ? 'withdrawn' : 'waiting';
  }

  tellSent(): void {
    for (const caller of this.#callers) {
      caller.sent?.();
      caller.sent = undefined;
    }
  }

  readAnswer(body: JuteReader, zxid: bigint): () => void {
    const payload = this.#read(body, zxid);
    return () => this.succeed(payload);
  }

  succeed(payload: unknown): void {
    for (const { settlement } of this.#callers) settlement.resolve(payload);
  }

  fail(errorOf: ErrorOf, code?: number): void {
    const error = errorOf(this.path);
    for (const { settlement } of this.#callers) settlement.reject(error, code);
  }
}
