import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { LoopbackListener } from './loopback-listener.js';
import type { Endpoint } from './raw-connection.js';

export type LinkDirection = 'toLeader' | 'toFollower';

const DIAL_TIMEOUT = 5_000;
const DIAL_INTERVAL = 20;
const DIRECTIONS: readonly LinkDirection[] = ['toLeader', 'toFollower'];

/**
 * A proxy through which a follower connects to its leader. Each direction can be stalled separately: bytes in flight,
 * FIN and RST are held and arrive when the link is healed, as in a temporary network partition.
 */
export class TcpLink {
  readonly #stalled = new Set<LinkDirection>();
  readonly #sources: Record<LinkDirection, Set<Socket>> = { toLeader: new Set(), toFollower: new Set() };
  readonly #resets: Record<LinkDirection, (() => void)[]> = { toLeader: [], toFollower: [] };
  #listener!: LoopbackListener;

  private constructor(private readonly leader: Endpoint) {}

  static async start(leader: Endpoint): Promise<TcpLink> {
    const link = new TcpLink(leader);
    link.#listener = await LoopbackListener.open((follower) => void link.#serve(follower));
    return link;
  }

  /** The port to which the follower connects. */
  get port(): number {
    return this.#listener.port;
  }

  stall(direction: LinkDirection): void {
    this.#stalled.add(direction);
    for (const socket of this.#sources[direction]) socket.pause();
  }

  /** Heals one direction or, by default, both. */
  heal(direction?: LinkDirection): void {
    for (const healed of direction ? [direction] : DIRECTIONS) {
      this.#stalled.delete(healed);
      // A socket whose other side is still connecting has no reader yet: its data would be lost.
      for (const socket of this.#sources[healed]) if (socket.listenerCount('data') > 0) socket.resume();
      for (const reset of this.#resets[healed].splice(0)) reset();
    }
  }

  stop(): void {
    this.#listener.refuse();
    for (const direction of DIRECTIONS) for (const socket of this.#sources[direction]) socket.destroy();
  }

  async #serve(follower: Socket): Promise<void> {
    this.#register('toLeader', follower);
    const leader = await dial(this.leader, () => follower.destroyed);
    if (!leader) return void follower.resetAndDestroy();
    this.#register('toFollower', leader);
    this.#pump('toLeader', follower, leader);
    this.#pump('toFollower', leader, follower);
  }

  /** A stalled source is not read, so the kernel holds the bytes, limited by TCP's flow control. */
  #register(direction: LinkDirection, source: Socket): void {
    this.#sources[direction].add(source);
    source.setNoDelay(true);
    source.on('close', () => this.#sources[direction].delete(source));
    source.on('error', () => source.destroy());
    if (this.#stalled.has(direction)) source.pause();
  }

  #pump(direction: LinkDirection, from: Socket, to: Socket): void {
    from.on('data', (chunk: Buffer) => to.write(chunk));
    if (!this.#stalled.has(direction)) from.resume();
    from.on('end', () => to.end());
    from.on('error', () => {
      // A reset caused by a byte of the open direction travels in the stalled direction.
      if (this.#stalled.has(direction)) this.#resets[direction].push(() => to.resetAndDestroy());
      else to.resetAndDestroy();
    });
  }
}

/**
 * Retries, because a follower may connect before its leader has opened the port. A follower retries a refused
 * connection, but after a closed one it starts another election, and its leader waits for it until `initLimit`.
 */
async function dial(leader: Endpoint, givenUp: () => boolean): Promise<Socket | undefined> {
  const deadline = performance.now() + DIAL_TIMEOUT;
  while (!givenUp() && performance.now() < deadline) {
    const socket = connect({ ...leader, allowHalfOpen: true });
    try {
      await once(socket, 'connect');
      return socket;
    } catch {
      await sleep(DIAL_INTERVAL);
    }
  }
  return undefined;
}
