import type { JuteReader } from './jute-reader.js';
import type { JuteRequest } from './jute.interface.js';
import type { PayloadReader } from './replies.js';
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
  /** Set when it is sent. */
  xid = 0;
  /** Set when it is sent within the window; what keeps the session is not counted there. */
  passage: Passage | undefined;
  readonly #build: () => JuteRequest;
  readonly #read: PayloadReader<unknown>;
  readonly #callers = new Set<Caller>();
  #state: 'waiting' | 'sent' | 'withdrawn' = 'waiting';

  constructor(outgoing: OutgoingRequest<unknown>) {
    const { path, build, read, priority = 'queue', lane = '', isShared = false } = outgoing;
    this.path = path;
    this.#build = build;
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

  /** Its frame, without a transaction id. Throws if it cannot be encoded. */
  encode(): Buffer {
    return this.#build().toBuffer();
  }

  /** Its frame is about to be sent with this transaction id. */
  leave(frame: Buffer, xid: number): void {
    this.#state = 'sent';
    this.xid = xid;
    frame.writeInt32BE(xid, XID_OFFSET);
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
