import type { Clock } from '../../locking/clock.js';
import { Fifo } from './fifo.js';
import type { FrameSizeGuard, UnansweredFrame } from './frame-size-guard.js';
import type { JuteReader } from './jute-reader.js';
import { PendingRequest, type Dispatch, type OutgoingRequest, type Withdraw } from './pending-request.js';
import { ProtocolError } from './protocol-error.js';
import type { ReplyHeader } from './replies.js';
import { RequestGroup } from './request-group.js';
import { atMost, SendQueue } from './send-queue.js';
import type { SendWindow } from './send-window.js';
import { ZooKeeperError } from './zookeeper-error.js';

/** Below 2^31 with room to spare: the package's counter runs over it, and then no request can be sent any more. */
const XID_LIMIT = 0x7ffffff0;
const XID_OFFSET = 4;

/** Transaction ids: 1, 2, ... and after a very long time 1 again. Starting at 0 makes old servers miscount. */
export class XidCounter {
  constructor(private next = 1) {}

  take(): number {
    const xid = this.next;
    this.next = xid + 1 < XID_LIMIT ? xid + 1 : 1;
    return xid;
  }
}

export interface RequestPipelineOptions {
  readonly xids: XidCounter;
  readonly clock: Clock;
  readonly window: SendWindow;
  readonly sizes: FrameSizeGuard;
  readonly write: (frames: readonly Buffer[]) => void;
}

/**
 * The requests of one connection: those that wait to be sent, as many as the window allows at a time and what keeps the
 * session whatever it allows, and those that have not been answered. ZooKeeper answers in the order of the requests.
 */
export class RequestPipeline {
  readonly #queue = new SendQueue();
  readonly #unanswered = new Fifo<Dispatch>();
  #answeredAt = -Infinity;
  #sending = false;

  constructor(private readonly options: RequestPipelineOptions) {}

  /** Stamp of `Clock.monotonic()`: when the last answer came. */
  get answeredAt(): number {
    return this.#answeredAt;
  }

  /** Sends at the end of this tick, in one write with whatever else may leave then. */
  add<T>(outgoing: OutgoingRequest<T>): Withdraw {
    const pending = this.#shared(outgoing) ?? this.#enqueued(outgoing);
    this.#sendSoon();
    return pending.addCaller(outgoing);
  }

  /** The largest frame that was sent within the window and not answered; the oldest of them. */
  get largestUnanswered(): UnansweredFrame | undefined {
    let largest: UnansweredFrame | undefined;
    for (const { passage } of this.#unanswered) {
      if (passage !== undefined && passage.bytes > (largest?.bytes ?? 0)) largest = passage;
    }
    return largest;
  }

  /**
   * Sends everything that waits, even beyond the window, before the session ends: after that, nothing can be sent, and no
   * heartbeat can be late.
   */
  flush(): void {
    this.#queue.endSharing();
    this.#send(() => true);
  }

  /** Hands a reply to the request it answers. */
  settle({ xid, zxid, err }: ReplyHeader, body: JuteReader): void {
    const pending = this.#answeredBy(xid);
    if (err !== 0) {
      this.#answered(pending);
      pending.fail((path) => ZooKeeperError.fromReply(err, path), err);
    } else {
      // Read first: if the reply is malformed, the request fails together with all others.
      const handOn = pending.readAnswer(body, zxid);
      this.#answered(pending);
      handOn();
    }
  }

  /** The reply is too large to be read. */
  refuse({ xid }: ReplyHeader, size: number): void {
    const pending = this.#answeredBy(xid);
    this.#answered(pending);
    const message = `The reply has ${size} bytes, more than this client reads`;
    pending.fail((path) => new ZooKeeperError('REPLY_TOO_LARGE', message, { path }));
  }

  /** Fails everything that is still unanswered, in the order of the requests, and then what has not been sent. */
  failAll(cause: Error): void {
    for (const request of this.#unanswered.drain()) {
      const message = 'The connection ended before the reply came';
      request.fail((path) => new ZooKeeperError('CONNECTION_LOSS', message, { path, cause }));
    }
    for (const request of this.#queue.drain()) {
      const message = 'The connection ended before the request was sent';
      const details = { cause, mayHaveBeenApplied: false };
      request.fail((path) => new ZooKeeperError('CONNECTION_LOSS', message, { path, ...details }));
    }
  }

  #send(hasRoom: () => boolean): void {
    const { xids, clock, window, write } = this.options;
    const now = clock.monotonic();
    const frames: Buffer[] = [];
    const leaving: Dispatch[] = [];
    for (;;) {
      const request = this.#next(hasRoom());
      if (request === undefined) break;
      const frame = this.#encoded(request);
      if (frame === undefined) continue;
      request.leave();
      request.xid = xids.take();
      frame.writeInt32BE(request.xid, XID_OFFSET);
      if (request.priority !== 'session') request.passage = window.sent(frame.length, now);
      this.#unanswered.push(request);
      frames.push(frame);
      leaving.push(request);
    }
    if (frames.length > 0) write(frames);
    for (const request of leaving) request.tellSent();
  }

  /**
   * What leaves next, if it may leave now: with a step of a transaction, all that may leave together with it. So a release and
   * the next request for the same lock are one write of the servers.
   */
  #next(hasRoom: boolean): Dispatch | undefined {
    const request = this.#queue.shift(!hasRoom);
    if (request?.step === undefined) return request;
    let group: RequestGroup | undefined;
    let isComplete = false;
    const joins = (next: PendingRequest): boolean => {
      if (next.step === undefined) isComplete = true;
      else {
        group ??= new RequestGroup(request, this.options.sizes, (member) => this.#queue.push(member));
        isComplete = !group.takes(next);
      }
      return !isComplete;
    };
    for (const priority of atMost(request.priority)) {
      // Nothing overtakes what is more urgent and has to leave alone.
      while (!isComplete && this.#queue.shiftIf(priority, joins) !== undefined);
    }
    return group !== undefined && group.size > 1 ? group : request;
  }

  /** Undefined if the arguments are bad, or the frame is too large: then the request has failed. */
  #encoded(request: Dispatch): Buffer | undefined {
    try {
      const frame = request.encode();
      const refusal = this.options.sizes.refusal(frame.length, request.path);
      if (refusal === undefined) return frame;
      this.#refused(request, refusal);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      const details = { path: request.path, cause, mayHaveBeenApplied: false };
      this.#refused(request, new ZooKeeperError('BAD_ARGUMENTS', message, details));
    }
    return undefined;
  }

  #refused(request: Dispatch, error: ZooKeeperError): void {
    this.#readEnded(request);
    request.fail(() => error);
  }

  #readEnded({ isShared, path }: Dispatch): void {
    if (isShared && path !== undefined) this.#queue.readEnded(path);
  }

  #shared<T>(outgoing: OutgoingRequest<T>): PendingRequest | undefined {
    const { path, priority = 'queue', lane = '', isShared } = outgoing;
    return isShared === true ? this.#queue.share(priority, lane, path) : undefined;
  }

  #enqueued<T>(outgoing: OutgoingRequest<T>): PendingRequest {
    const pending = new PendingRequest(outgoing);
    this.#queue.push(pending);
    return pending;
  }

  #sendSoon(): void {
    if (this.#sending) return;
    this.#sending = true;
    process.nextTick(() => {
      this.#sending = false;
      this.#send(() => this.options.window.hasRoom);
    });
  }

  #answered(request: Dispatch): void {
    const now = this.options.clock.monotonic();
    this.#answeredAt = now;
    this.#unanswered.shift();
    if (request.passage !== undefined) {
      this.options.sizes.answered(request.passage.bytes);
      this.options.window.answered(request.passage, now);
    }
    this.#readEnded(request);
    this.#sendSoon();
  }

  #answeredBy(xid: number): Dispatch {
    const expected = this.#unanswered.first;
    if (expected?.xid === xid) return expected;
    throw new ProtocolError(`Got a reply to request ${xid}, expected one to ${expected?.xid ?? 'none'}`);
  }
}
