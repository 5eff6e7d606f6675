import type { JuteReader } from './jute-reader.js';
import type { JuteRequest } from './package-internals.js';
import type { PayloadReader } from './replies.js';
import type { Passage } from './send-window.js';
import type { RequestBounds, RequestPriority } from './zookeeper-driver.interface.js';
import type { ZooKeeperError } from './zookeeper-error.js';

/** How a request ends, exactly once. */
export interface Settlement<T> {
  resolve(payload: T): void;
  /** `code` is the server's; undefined if no reply came. */
  reject(error: ZooKeeperError, code?: number): void;
}

/** A request to be sent, with its place in the order of sending. */
export interface OutgoingRequest<T> extends Pick<RequestBounds, 'priority' | 'lane' | 'sent'> {
  readonly request: JuteRequest;
  readonly read: PayloadReader<T>;
  readonly settlement: Settlement<T>;
  /** Calls that read the same, and have not left yet, are answered by one request. */
  readonly isShared?: boolean;
}

/** Gives the request up for one caller; true if it has been sent, and so may be executed. */
export type Withdraw = () => boolean;

interface Caller {
  readonly settlement: Settlement<unknown>;
  readonly sent: (() => void) | undefined;
}

const XID_OFFSET = 4;

/** One request of a connection: `waiting` → `sent`, or `waiting` → `withdrawn` when no caller is left. */
export class PendingRequest {
  readonly path: string | undefined;
  readonly priority: RequestPriority;
  readonly lane: string;
  readonly isShared: boolean;
  readonly frame: Buffer;
  /** Set when it is sent. */
  xid = 0;
  /** Set when it is sent within the window; what keeps the session is not counted there. */
  passage: Passage | undefined;
  readonly #read: PayloadReader<unknown>;
  readonly #callers = new Set<Caller>();
  #state: 'waiting' | 'sent' | 'withdrawn' = 'waiting';

  /** Throws if the request cannot be encoded. */
  constructor({ request, read, priority = 'queue', lane = '', isShared = false }: OutgoingRequest<unknown>) {
    this.path = request.payload?.path;
    this.frame = request.toBuffer();
    this.priority = priority;
    this.lane = lane;
    this.isShared = isShared;
    this.#read = read;
  }

  get isWaiting(): boolean {
    return this.#state === 'waiting';
  }

  addCaller({ settlement, sent }: Pick<OutgoingRequest<unknown>, 'settlement' | 'sent'>): Withdraw {
    const caller = { settlement, sent };
    this.#callers.add(caller);
    return () => {
      if (this.#state === 'sent') return true;
      this.#callers.delete(caller);
      if (this.#callers.size === 0) this.#state = 'withdrawn';
      return false;
    };
  }

  /** It is about to be sent with this transaction id. */
  leave(xid: number): void {
    this.#state = 'sent';
    this.xid = xid;
    this.frame.writeInt32BE(xid, XID_OFFSET);
  }

  /** Its bytes are with the socket. */
  tellSent(): void {
    for (const { sent } of this.#callers) sent?.();
  }

  /** Returns how to hand the answer on; throws if it is malformed. */
  readAnswer(body: JuteReader): () => void {
    const payload = this.#read(body);
    return () => {
      for (const { settlement } of this.#callers) settlement.resolve(payload);
    };
  }

  fail(error: ZooKeeperError, code?: number): void {
    for (const { settlement } of this.#callers) settlement.reject(error, code);
  }
}
