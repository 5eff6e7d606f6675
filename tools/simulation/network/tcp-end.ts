import type { EventLoop } from '../world/event-loop.js';
import type { Random } from '../world/random.js';
import type { Scheduler } from '../world/scheduler.js';
import type { Direction } from './direction.js';
import type { Path } from './path.js';
import type { Reading, Segment } from './segment.js';

export interface TcpEndOptions {
  readonly loop: EventLoop;
  readonly scheduler: Scheduler;
  /** To the other end. */
  readonly direction: Direction;
  /** The connection goes through something that resets both of its ends. */
  readonly cut: (leaves: number) => void;
  readonly closed: () => void;
}

/**
 * One end of a TCP connection in the kernel of a host. It works while the host is paused or busy: what arrives waits until
 * the thread reads it. As in Linux,
 *
 * - data that nobody will read is answered with RST, and so is what comes after the end was closed;
 * - what arrived before an RST can still be read.
 */
export class TcpEnd {
  readonly #random: Random;
  readonly #unread: Reading[] = [];
  #state: 'connecting' | 'accepting' | 'open' | 'closed';
  /** How many more bytes pass until the planned cut; less than zero after it. */
  #untilCut: number | undefined;

  constructor(
    private readonly options: TcpEndOptions,
    private readonly out: Path<Segment>,
    private readonly read: (reading: Reading) => void,
    state: 'connecting' | 'accepting',
  ) {
    this.#random = options.direction.forkRandom();
    this.#state = state;
    if (state === 'connecting') out.send('syn', 0);
    else this.#answer('syn+ack');
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** As far as a planned cut lets the bytes pass. */
  transmit(bytes: Buffer): void {
    if (this.#state !== 'open') return;
    this.#untilCut ??= this.options.direction.takeCut();
    if (this.#untilCut === undefined) return this.#send(bytes);
    if (this.#untilCut < 0) return;
    this.#send(bytes.subarray(0, this.#untilCut));
    this.#untilCut -= bytes.length;
    if (this.#untilCut > 0) return;
    this.#untilCut = -1;
    this.options.cut(this.options.loop.now);
  }

  /** The host closes its socket, with RST if it leaves data unread. */
  close(): void {
    if (this.#state === 'open') this.out.send(this.#hasUnreadData() ? 'rst' : 'fin', 0);
    this.#end();
  }

  /** The host was killed, or has given up the connection before it looked at it. */
  abandon(answer: 'fin' | 'rst' = this.#random.chance(0.5) ? 'fin' : 'rst'): void {
    this.out.recall();
    if (this.#state === 'open') this.#answer(this.#hasUnreadData() ? 'rst' : answer);
    this.#end();
  }

  arrived(segment: Segment): void {
    if (this.#state === 'connecting') this.#answered(segment);
    else if (this.#state === 'accepting') this.#acknowledged(segment);
    else if (this.#state === 'open') this.#received(segment);
    else if (segment !== 'fin' && segment !== 'rst') this.#answer('rst');
  }

  /** In one segment or two. */
  #send(bytes: Buffer): void {
    const splits = this.#random.chance(this.options.direction.splitChance) && bytes.length > 1;
    const middle = splits ? this.#random.integer(1, bytes.length - 1) : bytes.length;
    for (const piece of [bytes.subarray(0, middle), bytes.subarray(middle)]) {
      if (piece.length > 0) this.out.send(piece, piece.length);
    }
  }

  #answered(segment: Segment): void {
    if (segment === 'syn+ack') {
      this.#state = 'open';
      this.#answer('ack');
      this.#deliver('opened');
    } else {
      this.#end();
      this.#deliver('refused');
    }
  }

  #acknowledged(segment: Segment): void {
    if (segment !== 'ack') return this.#end();
    this.#state = 'open';
    this.#deliver('opened');
  }

  #received(segment: Segment): void {
    if (segment === 'rst') {
      this.#end();
      this.#deliver('reset');
    } else if (segment === 'fin') {
      this.#deliver('end');
    } else {
      this.#deliver(segment as Buffer);
    }
  }

  #end(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.options.closed();
  }

  /** At the time of the kernel, which does not wait for a descheduled thread. */
  #answer(segment: Segment): void {
    this.out.send(segment, 0, this.options.scheduler.now);
  }

  #hasUnreadData(): boolean {
    return this.#unread.some((reading) => reading instanceof Buffer);
  }

  #deliver(reading: Reading): void {
    this.#unread.push(reading);
    if (this.#unread.length === 1) this.options.loop.post(() => this.#readFirst());
  }

  /** One read takes all data that has arrived, and nothing else. */
  #readFirst(): void {
    const data: Buffer[] = [];
    while (this.#unread[0] instanceof Buffer) data.push(this.#unread.shift() as Buffer);
    const reading = data.length > 0 ? Buffer.concat(data) : (this.#unread.shift() as Reading);
    if (this.#unread.length > 0) this.options.loop.post(() => this.#readFirst());
    this.read(reading);
  }
}
