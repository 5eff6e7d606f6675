import type { JuteReader } from './jute-reader.js';
import type { JuteRequest } from './package-internals.js';
import { ProtocolError } from './protocol-error.js';
import type { PayloadReader, ReplyHeader } from './replies.js';
import { ZooKeeperError } from './zookeeper-error.js';

/** Below 2^31 with room to spare: the package's counter runs over it, and then no request can be sent any more. */
const XID_LIMIT = 0x7ffffff0;

/** Transaction ids: 1, 2, ... and after a very long time 1 again. Starting at 0 makes old servers miscount. */
export class XidCounter {
  constructor(private next = 1) {}

  take(): number {
    const xid = this.next;
    this.next = xid + 1 < XID_LIMIT ? xid + 1 : 1;
    return xid;
  }
}

/** How a request ends, exactly once. */
export interface Settlement<T> {
  resolve(payload: T): void;
  /** `code` is the server's; undefined if no reply came. */
  reject(error: ZooKeeperError, code?: number): void;
}

interface Pending {
  readonly path: string | undefined;
  succeed(body: JuteReader): void;
  fail(error: ZooKeeperError, code?: number): void;
}

/** The requests sent over one connection and not answered yet. ZooKeeper answers in the order of the requests. */
export class RequestPipeline {
  readonly #pending = new Map<number, Pending>();

  constructor(private readonly xids: XidCounter) {}

  /** Registers the request and returns its bytes. */
  add<T>(request: JuteRequest, read: PayloadReader<T>, settlement: Settlement<T>): Buffer {
    const xid = this.xids.take();
    request.header.xid = xid;
    const bytes = request.toBuffer();
    this.#pending.set(xid, {
      path: request.payload?.path,
      succeed: (body) => {
        // Read first: if the reply is malformed, the request fails together with all others.
        const payload = read(body);
        this.#pending.delete(xid);
        settlement.resolve(payload);
      },
      fail: (error, code) => {
        this.#pending.delete(xid);
        settlement.reject(error, code);
      },
    });
    return bytes;
  }

  /** Hands a reply to the request it answers. */
  settle({ xid, err }: ReplyHeader, body: JuteReader): void {
    const pending = this.#answeredBy(xid);
    if (err === 0) pending.succeed(body);
    else pending.fail(ZooKeeperError.fromReply(err, pending.path), err);
  }

  /** The reply is too large to be read. */
  refuse({ xid }: ReplyHeader, size: number): void {
    const pending = this.#answeredBy(xid);
    const message = `The reply has ${size} bytes, more than this client reads`;
    pending.fail(new ZooKeeperError('REPLY_TOO_LARGE', message, { path: pending.path }));
  }

  /** Fails everything that is still unanswered, in the order of the requests. */
  failAll(cause: Error): void {
    for (const pending of this.#pending.values()) {
      const { path } = pending;
      const message = 'The connection ended before the reply came';
      pending.fail(new ZooKeeperError('CONNECTION_LOSS', message, { path, cause }));
    }
  }

  #answeredBy(xid: number): Pending {
    const [expected] = this.#pending.keys();
    const pending = this.#pending.get(xid);
    if (pending !== undefined && xid === expected) return pending;
    throw new ProtocolError(`Got a reply to request ${xid}, expected one to ${expected ?? 'none'}`);
  }
}
