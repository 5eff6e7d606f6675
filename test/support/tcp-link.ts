import { connect, type Socket } from 'node:net';
import { LoopbackListener } from './loopback-listener.js';
import type { Endpoint } from './raw-connection.js';

export type LinkDirection = 'toLeader' | 'toFollower';

const DIRECTIONS: readonly LinkDirection[] = ['toLeader', 'toFollower'];

/**
 * The link a follower dials its leader through. Each direction can be stalled by itself: what is on its way then, the
 * end of the stream included, waits and arrives when the link is healed, as on a network that was cut for a while.
 */
export class TcpLink {
  readonly #stalled = new Set<LinkDirection>();
  readonly #sources: Record<LinkDirection, Set<Socket>> = { toLeader: new Set(), toFollower: new Set() };
  #listener!: LoopbackListener;

  private constructor(private readonly leader: Endpoint) {}

  static async start(leader: Endpoint): Promise<TcpLink> {
    const link = new TcpLink(leader);
    link.#listener = await LoopbackListener.open((follower) => link.#serve(follower));
    return link;
  }

  /** Where the follower finds its leader. */
  get port(): number {
    return this.#listener.port;
  }

  stall(direction: LinkDirection): void {
    this.#stalled.add(direction);
    for (const socket of this.#sources[direction]) socket.pause();
  }

  /** One direction, or both. */
  heal(direction?: LinkDirection): void {
    for (const healed of direction ? [direction] : DIRECTIONS) {
      this.#stalled.delete(healed);
      for (const socket of this.#sources[healed]) socket.resume();
    }
  }

  stop(): void {
    this.#listener.refuse();
    for (const direction of DIRECTIONS) for (const socket of this.#sources[direction]) socket.destroy();
  }

  #serve(follower: Socket): void {
    const leader = connect({ ...this.leader, allowHalfOpen: true });
    this.#pump('toLeader', follower, leader);
    this.#pump('toFollower', leader, follower);
  }

  /** A stalled source is not read, so the bytes stay in the kernel: held, and bounded by TCP's own windows. */
  #pump(direction: LinkDirection, from: Socket, to: Socket): void {
    this.#sources[direction].add(from);
    from.setNoDelay(true);
    from.on('data', (chunk: Buffer) => to.write(chunk));
    from.on('end', () => to.end());
    from.on('error', () => to.resetAndDestroy());
    from.on('close', () => this.#sources[direction].delete(from));
    if (this.#stalled.has(direction)) from.pause();
  }
}
