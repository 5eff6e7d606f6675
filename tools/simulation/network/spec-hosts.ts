import { EventLoop } from '../world/event-loop.js';
import { Random } from '../world/random.js';
import { Scheduler } from '../world/scheduler.js';
import { Network } from './network.js';
import type { SimulatedSocket } from './simulated-socket.js';

export const SERVER = { address: '192.168.0.1', port: 2181 };

/** For specs: hosts on one network, and what their sockets have emitted, with the time. */
export class Hosts {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly network: Network;
  readonly client: EventLoop;
  readonly server: EventLoop;
  /** `time host what`. */
  readonly trace: string[] = [];

  constructor(seed = 'hosts') {
    this.random = new Random(seed);
    this.scheduler = new Scheduler(this.random.fork('scheduler'));
    this.network = new Network(this.scheduler, this.random.fork('network'));
    this.client = this.start('client');
    this.server = this.start('server');
  }

  get toServer() {
    return this.network.direction('client', 'server');
  }

  get toClient() {
    return this.network.direction('server', 'client');
  }

  /** The trace without its times. */
  get seen(): string[] {
    return this.trace.map((line) => line.slice(line.indexOf(' ') + 1));
  }

  /** What one host has seen. */
  readonly seenBy = (name: string): string[] =>
    this.seen.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));

  start(name: string): EventLoop {
    return new EventLoop({ name, scheduler: this.scheduler, random: this.random.fork(name) });
  }

  at(ms: number, run: () => void): void {
    this.scheduler.schedule(ms, run);
  }

  note(loop: EventLoop, text: string): void {
    this.trace.push(`${this.scheduler.now} ${loop.name} ${text}`);
  }

  /** The server listens. */
  listen(accepted: (socket: SimulatedSocket) => void = () => {}, loop = this.server): { close(): void } {
    return this.network.listen(loop, SERVER, (socket) => {
      this.note(loop, 'accepted');
      this.#watch(loop, socket);
      accepted(socket);
    });
  }

  /** The client opens a socket. The caller must be a callback of the client. */
  connect(opened: (socket: SimulatedSocket) => void = () => {}, loop = this.client): SimulatedSocket {
    const socket = this.network.connector(loop)(SERVER, () => {
      this.note(loop, 'opened');
      opened(socket);
    });
    this.#watch(loop, socket);
    return socket;
  }

  /** An open connection: the socket of the client and that of the server. */
  async connected(): Promise<{ client: SimulatedSocket; server: SimulatedSocket }> {
    let [client, server]: (SimulatedSocket | undefined)[] = [];
    this.listen((socket) => (server = socket));
    this.client.run(() => void this.connect((socket) => (client = socket)));
    await this.scheduler.run(() => client !== undefined && server !== undefined);
    if (client === undefined || server === undefined) throw new Error('The connection was not opened');
    this.trace.length = 0;
    return { client, server };
  }

  /** Runs until nothing is left to do. */
  finished(): Promise<void> {
    return this.scheduler.run(() => false);
  }

  #watch(loop: EventLoop, socket: SimulatedSocket): void {
    socket.on('data', (bytes: Buffer) => this.note(loop, `data ${bytes.toString()}`));
    socket.on('error', (error: Error) => this.note(loop, error.message));
    socket.on('end', () => this.note(loop, 'end'));
    socket.on('close', () => this.note(loop, 'close'));
  }
}
