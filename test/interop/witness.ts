import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { LockMode } from '../../lib/index.js';

export interface WitnessOptions {
  readonly seats: readonly string[];
  readonly holdMs: number;
  /** So many members must hold the lock at the same time before any of them may go on. Absent: none may before `letGo`. */
  readonly meet?: number;
}

/**
 * Sees who holds a lock, without any clock, and without the lock. Each member tells it over TCP when it has the lock, and waits for
 * an answer; then it says that it is about to release it, and waits for an answer again. So a member that has the lock
 * rightly says so after the witness has heard of the end of the hold before.
 */
export class Witness implements AsyncDisposable {
  readonly overlaps: string[] = [];
  /** The seats, in the order of the grants. */
  readonly grants: string[] = [];
  /** How often a reader began while a reader of another library held the lock. */
  sharedReads = 0;
  readonly #present = new Map<string, LockMode>();
  readonly #sockets = new Map<string, Socket>();
  /** Those that may not go on yet. */
  readonly #meeting = new Set<string>();
  #hasMet = false;
  #hang: { readonly seat: string; readonly from: number; readonly begun: () => void } | undefined;

  private constructor(
    private readonly server: Server,
    private readonly options: WitnessOptions,
  ) {
    server.on('connection', (socket) => this.#listen(socket));
  }

  static async start(options: WitnessOptions): Promise<Witness> {
    const server = createServer({ noDelay: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Witness(server, options);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  grantsOf(seat: string): number {
    return this.grants.filter((granted) => granted === seat).length;
  }

  /** How often the lock went from a member of one library to one of another. */
  get changes(): number {
    return this.grants.filter((seat, i) => i > 0 && libraryOf(seat) !== libraryOf(this.grants[i - 1]!))
      .length;
  }

  /**
   * Resolves when a hold of this member has begun, its hold number `from` or the next one after this call. It never gets an answer,
   * and so keeps the lock until it is killed.
   */
  async hangs(seat: string, from: number): Promise<void> {
    await new Promise<void>((begun) => (this.#hang = { seat, from, begun }));
  }

  /** Lets all holders go on, and all later ones. */
  letGo(): void {
    this.#hasMet = true;
    for (const met of this.#meeting) this.#answerLater(met);
  }

  /** To be called before anything else can be heard after the end of the process. */
  died(seat: string): void {
    this.#sockets.get(seat)?.destroy();
    this.#present.delete(seat);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets.values()) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  #listen(socket: Socket): void {
    socket.on('error', () => {}); // it was killed
    let seat = '';
    createInterface({ input: socket }).on('line', (line) => {
      const [what, detail = ''] = line.split(' ');
      // Read before the process was killed, but heard only now.
      if (socket.destroyed) return;
      if (what === 'hello') {
        seat = detail;
        this.#arrived(seat, socket);
      } else if (what === 'begin') this.#begins(seat, detail as LockMode);
      else {
        this.#present.delete(seat);
        this.#answer(seat);
      }
    });
  }

  /** All begin together, and those that come later at once. */
  #arrived(seat: string, socket: Socket): void {
    const isComplete = this.#sockets.size === this.options.seats.length;
    this.#sockets.set(seat, socket);
    if (isComplete) this.#answer(seat);
    else if (this.#sockets.size === this.options.seats.length)
      this.options.seats.forEach((known) => this.#answer(known));
  }

  #begins(seat: string, mode: LockMode): void {
    for (const [other, held] of this.#present) {
      if (mode !== 'read' || held !== 'read')
        this.overlaps.push(`${seat} (${mode}) begins while ${other} (${held}) holds the lock`);
      else if (libraryOf(seat) !== libraryOf(other)) this.sharedReads += 1;
    }
    this.#present.set(seat, mode);
    this.grants.push(seat);
    if (this.#hang?.seat === seat && this.grantsOf(seat) >= this.#hang.from) {
      this.#hang.begun();
      this.#hang = undefined;
    } else if (this.#hasMet) this.#answerLater(seat);
    else this.#meets(seat);
  }

  #meets(seat: string): void {
    this.#meeting.add(seat);
    if (this.#meeting.size >= (this.options.meet ?? Infinity)) this.letGo();
  }

  #answerLater(seat: string): void {
    setTimeout(() => this.#answer(seat), this.options.holdMs);
  }

  #answer(seat: string): void {
    this.#sockets.get(seat)?.write('go\n');
  }
}

export function libraryOf(seat: string): string {
  return seat.slice(0, seat.indexOf('-'));
}
