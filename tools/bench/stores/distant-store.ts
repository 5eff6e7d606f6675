import { connect, type Socket } from 'node:net';
import { LoopbackListener } from '../../../test/support/loopback-listener.js';
import type { Store, StoreTotals } from './store.interface.js';

/** How long everything takes in each direction, as between two data centres of one region; the shortest time of a timer, ms. */
const ONE_WAY_MS = 1;
const ADDRESS = /127\.0\.0\.1:(\d+)/g;

/** A store behind proxies that deliver everything late, so that round trips cost time, and not only packets. */
export class DistantStore implements Store {
  private constructor(
    private readonly store: Store,
    private readonly proxies: ReadonlyMap<string, DelayingProxy>,
  ) {}

  static async start(store: Store): Promise<DistantStore> {
    const ports = Array.from(store.address.matchAll(ADDRESS), ([, port]) => port!);
    const proxies = new Map<string, DelayingProxy>();
    for (const port of ports) proxies.set(port, await DelayingProxy.start(Number(port)));
    return new DistantStore(store, proxies);
  }

  get address(): string {
    return this.store.address.replace(ADDRESS, (_, port: string) => {
      return `127.0.0.1:${this.proxies.get(port)!.port}`;
    });
  }

  totals(): Promise<StoreTotals> {
    return this.store.totals();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const proxy of this.proxies.values()) proxy.stop();
    await this.store[Symbol.asyncDispose]();
  }
}

class DelayingProxy {
  readonly #sockets = new Set<Socket>();

  private constructor(private readonly listener: LoopbackListener) {}

  static async start(target: number): Promise<DelayingProxy> {
    const listener = await LoopbackListener.open((client) => {
      proxy.#serve(client, connect(target, '127.0.0.1'));
    });
    const proxy = new DelayingProxy(listener);
    return proxy;
  }

  get port(): number {
    return this.listener.port;
  }

  stop(): void {
    this.listener.refuse();
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(client: Socket, server: Socket): void {
    this.#forward(client, server);
    this.#forward(server, client);
  }

  /** Timers of the same duration fire in the order in which they were set. */
  #forward(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (bytes) => setTimeout(() => to.write(bytes), ONE_WAY_MS));
    from.on('end', () => setTimeout(() => to.end(), ONE_WAY_MS));
    from.on('error', () => to.destroy());
    from.on('close', () => {
      this.#sockets.delete(from);
      setTimeout(() => to.destroy(), ONE_WAY_MS);
    });
  }
}
