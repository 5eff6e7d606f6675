import type { Clock } from '../../locking/clock.js';
import type { Passage } from './send-window.js';
import { ZooKeeperError } from './zookeeper-error.js';

/** How long after a request a server that finds it too large ends the connection, as a part of the session timeout. */
const HANG_UP_SHARE = 1 / 20;
const STRIKES = 2;
/** The pause after the first refusal is one session timeout; it doubles with each further strike, up to so many. */
const LONGEST_PAUSE = 64;
/** The length in front of a frame, which a server does not count. */
const PREFIX_BYTES = 4;
/**
 * No server is of use that takes less: the default of `jute.maxbuffer` is 1 MiB. What keeps a session is smaller, and so are the
 * requests of a lock with an ordinary name: it must not fail because the network resets the first connections of a process.
 */
const SMALLEST_SUSPECT = 2_048;

/** A frame that was sent and not answered; `sentAt` is a stamp of `Clock.monotonic()`. */
export type UnansweredFrame = Pick<Passage, 'bytes' | 'sentAt'>;

interface Suspicion {
  /** It is about frames of this size or more. */
  readonly bytes: number;
  readonly strikes: number;
  /** Stamp of the last strike. */
  readonly at: number;
}

/**
 * Recognises frames that are larger than a server's `jute.maxbuffer`. A server ends the connection when it reads the
 * length of such a frame, and says nothing. If the request were sent again and again, as after every lost connection, the
 * connection would flap for as long as its caller waits, and all locks of the session with it.
 *
 * A strike is a connection that the server ended at once after a frame larger than any it has ever answered. After two
 * strikes in a row frames of that size are refused for a session timeout; then one may try again, and another strike
 * makes the next pause twice as long. An answer to a frame of that size ends the suspicion.
 *
 * A network that cuts connections rarely looks like this: it would have to cut twice within a session timeout, both
 * times in the moment between a request and its answer, and only a request that is larger than all that went well.
 */
export class FrameSizeGuard {
  #largestAnswered = 0;
  #suspicion: Suspicion | undefined;

  /** @param sessionTimeout as negotiated, ms */
  constructor(
    private readonly clock: Clock,
    private readonly sessionTimeout: () => number,
  ) {}

  /** Why a frame must not be sent, if it must not. */
  refusal(bytes: number, path: string | undefined): ZooKeeperError | undefined {
    const suspicion = this.#suspicion;
    if (suspicion === undefined || bytes < suspicion.bytes || !this.#isRefusing(suspicion)) return undefined;
    const message =
      `The server ended the connection after requests like this one, of ${bytes - PREFIX_BYTES} bytes: ` +
      "are they larger than the server's jute.maxbuffer?";
    return new ZooKeeperError('REQUEST_TOO_LARGE', message, { path, mayHaveBeenApplied: false });
  }

  /**
   * True if the server certainly takes frames of this size, or nothing says the contrary. What could as well be sent in
   * parts is sent in parts otherwise, for the longest pause: no strike is worth a larger transaction.
   */
  isProven(bytes: number): boolean {
    if (this.#suspicion === undefined || bytes <= this.#largestAnswered) return true;
    return this.clock.monotonic() - this.#suspicion.at >= this.sessionTimeout() * LONGEST_PAUSE;
  }

  answered(bytes: number): void {
    this.#largestAnswered = Math.max(this.#largestAnswered, bytes);
    if (this.#suspicion !== undefined && bytes >= this.#suspicion.bytes) this.#suspicion = undefined;
  }

  /** The server has ended a connection. */
  hungUp(largest: UnansweredFrame | undefined): void {
    const now = this.clock.monotonic();
    if (largest === undefined || largest.bytes <= Math.max(this.#largestAnswered, SMALLEST_SUSPECT)) return;
    if (now - largest.sentAt > this.sessionTimeout() * HANG_UP_SHARE) return;
    this.#suspicion = this.#strike(largest.bytes, now);
  }

  #strike(bytes: number, at: number): Suspicion {
    const before = this.#suspicion;
    const isFirst =
      before === undefined || (before.strikes < STRIKES && at - before.at > this.sessionTimeout());
    if (isFirst) return { bytes, strikes: 1, at };
    // The frame at fault was the largest without an answer or a smaller one.
    return { bytes: Math.min(bytes, before.bytes), strikes: before.strikes + 1, at };
  }

  #isRefusing({ strikes, at }: Suspicion): boolean {
    if (strikes < STRIKES) return false;
    const pause = this.sessionTimeout() * Math.min(2 ** (strikes - STRIKES), LONGEST_PAUSE);
    return this.clock.monotonic() - at < pause;
  }
}
