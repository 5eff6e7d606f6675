import { EventEmitter } from 'node:events';
import type { EventLoop } from '../world/event-loop.js';
import type { Reading } from './segment.js';

/** What a socket needs of its end of the connection. */
export interface SocketEnd {
  transmit(bytes: Buffer): void;
  close(): void;
}

export interface SocketNames {
  readonly localAddress: string;
  readonly localPort: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
}

function failure(code: string, call: string): Error {
  return Object.assign(new Error(`${call} ${code}`), { code, syscall: call });
}

/**
 * The part of a `net.Socket` that the library and its embedded server use. After `destroy` it emits nothing but `close`,
 * in a later turn.
 */
export class SimulatedSocket extends EventEmitter {
  readonly localAddress: string;
  readonly localPort: number;
  readonly remoteAddress: string;
  readonly remotePort: number;
  bytesRead = 0;
  bytesWritten = 0;
  readonly #end: SocketEnd;
  #state: 'opening' | 'open' | 'destroyed' = 'opening';
  #unsent: Buffer[] = [];
  #corks = 0;
  #endsWhenOpen = false;

  /**
   * @param opened called when bytes can be written
   * @param connect creates the end of the connection, from which `read` takes what has arrived
   */
  constructor(
    private readonly loop: EventLoop,
    names: SocketNames,
    private readonly opened: () => void,
    connect: (read: (reading: Reading) => void) => SocketEnd,
  ) {
    super();
    this.localAddress = names.localAddress;
    this.localPort = names.localPort;
    this.remoteAddress = names.remoteAddress;
    this.remotePort = names.remotePort;
    this.#end = connect((reading) => this.#read(reading));
  }

  get destroyed(): boolean {
    return this.#state === 'destroyed';
  }

  /** A simulated network delays nothing to join small writes. */
  setNoDelay(_noDelay?: boolean): this {
    return this;
  }

  /** A simulation has no process that a socket could keep alive. */
  unref(): this {
    return this;
  }

  cork(): void {
    this.#corks += 1;
  }

  uncork(): void {
    if (this.#corks > 0) this.#corks -= 1;
    this.#flush();
  }

  write(bytes: Uint8Array): boolean {
    if (this.destroyed || this.#endsWhenOpen) return false;
    this.bytesWritten += bytes.length;
    this.#unsent.push(Buffer.from(bytes));
    this.#flush();
    return true;
  }

  /** Closes the connection when everything has been sent. */
  destroySoon(): void {
    this.#corks = 0;
    this.#flush();
    if (this.#state === 'opening') this.#endsWhenOpen = true;
    else this.destroy();
  }

  /** What is corked is lost; what has been sent still arrives. */
  destroy(): this {
    if (!this.destroyed) this.#destroy(false);
    return this;
  }

  #flush(): void {
    if (this.#state !== 'open' || this.#corks > 0 || this.#unsent.length === 0) return;
    const bytes = Buffer.concat(this.#unsent);
    this.#unsent = [];
    this.#end.transmit(bytes);
  }

  #read(reading: Reading): void {
    if (this.destroyed) return;
    if (reading === 'opened') this.#open();
    else if (reading === 'refused') this.#fail(failure('ECONNREFUSED', 'connect'));
    else if (reading === 'reset') this.#fail(failure('ECONNRESET', 'read'));
    else if (reading === 'end') this.#ended();
    else this.#received(reading);
  }

  #open(): void {
    this.#state = 'open';
    this.#flush();
    if (this.#endsWhenOpen) return void this.destroy();
    this.opened();
  }

  #received(bytes: Buffer): void {
    this.bytesRead += bytes.length;
    this.emit('data', bytes);
  }

  /** Without `allowHalfOpen`, Node closes its own side too. */
  #ended(): void {
    this.emit('end');
    this.destroySoon();
  }

  #fail(error: Error): void {
    this.#destroy(true);
    this.emit('error', error);
  }

  #destroy(hadError: boolean): void {
    this.#state = 'destroyed';
    this.#end.close();
    this.loop.clock.nextTurn(() => this.emit('close', hadError));
  }
}
