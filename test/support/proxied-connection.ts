import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { PassingFrame } from './fault-rules.js';
import { DeliveryQueue } from './delivery-queue.js';
import { rewritten, type ProxySettings } from './proxy-settings.js';
import type { Endpoint } from './raw-connection.js';
import { FrameDecoder, FrameReader, type FrameInfo } from './zookeeper-frames.js';

/** The connection of a client and the corresponding one to the server. The directions forward frames independently. */
export class ProxiedConnection {
  readonly #toServer = new DeliveryQueue();
  readonly #toClient = new DeliveryQueue();
  readonly #reader = new FrameReader();
  readonly #server: Socket | undefined;
  #heldNotifications: PassingFrame[] = [];
  /** Drops everything in both directions: bytes and the end of the stream. */
  #swallowing = false;

  /** Without a target the connection is accepted but never answered. */
  constructor(
    private readonly client: Socket,
    target: Endpoint | undefined,
    private readonly settings: ProxySettings,
    closed: () => void,
  ) {
    this.#server = target && connect({ host: target.host, port: target.port, allowHalfOpen: true });
    this.#swallowing = !target;
    const sockets = [client, this.#server].filter((socket) => socket !== undefined);
    const watchClosed = (): void => (sockets.every((socket) => socket.closed) ? closed() : undefined);
    for (const socket of sockets) socket.setNoDelay(true).on('close', watchClosed);
    this.#pump(client, this.#server, this.#toServer, (frame) => this.#reader.request(frame));
    if (this.#server) this.#pump(this.#server, client, this.#toClient, (frame) => this.#reader.reply(frame));
  }

  /** From now on reads everything and forwards nothing. */
  swallow(): void {
    this.#swallowing = true;
    this.#toServer.clear();
    this.#toClient.clear();
  }

  get swallowing(): boolean {
    return this.#swallowing;
  }

  /** Sends FIN to both sides, and drops everything that arrives later. */
  cut(): void {
    this.swallow();
    this.client.end();
    this.#server?.end();
    for (const socket of [this.client, this.#server]) socket?.once('end', () => socket.destroy());
  }

  /** Sends RST to both sides. */
  reset(): void {
    this.swallow();
    this.client.resetAndDestroy();
    this.#server?.resetAndDestroy();
  }

  destroy(): void {
    this.swallow();
    this.client.destroy();
    this.#server?.destroy();
  }

  releaseNotifications(): void {
    for (const frame of this.#heldNotifications.splice(0)) this.#toClient.add(() => frame.forward());
  }

  #pump(
    from: Socket,
    to: Socket | undefined,
    queue: DeliveryQueue,
    read: (frame: Buffer) => FrameInfo,
  ): void {
    const decoder = new FrameDecoder();
    from.on('data', (chunk: Buffer) => {
      try {
        for (const frame of decoder.push(chunk)) this.#arrived(frame, read(frame), to, queue);
      } catch {
        this.reset(); // not ZooKeeper's protocol, so no rule could apply
      }
    });
    from.on('end', () => queue.add(() => this.#passEnd(to)));
    from.on('error', () => {
      if (!this.#swallowing) this.reset();
    });
  }

  #arrived(frame: Buffer, info: FrameInfo, to: Socket | undefined, queue: DeliveryQueue): void {
    this.settings.observe(info);
    if (this.#swallowing || !to) return;
    const due = performance.now() + this.settings.delayMs;
    const passing = this.#passing(rewritten(frame, info, this.settings), to);
    const rule = this.settings.rules.take(info);
    if (this.settings.delayMs > 0) queue.add(() => sleepUntil(due));
    if (rule) queue.add(() => rule.apply(passing));
    else if (info.direction === 'notification' && this.settings.notificationsHeld)
      this.#heldNotifications.push(passing);
    else queue.add(() => passing.forward());
  }

  #passing(frame: Buffer, to: Socket): PassingFrame {
    return {
      forward: () => this.#write(frame, to),
      forwardAs: (change) => this.#write(change(Buffer.from(frame)), to),
      forwardPart: (bytes) => void this.#write(frame.subarray(0, bytes), to),
      cut: () => this.cut(),
      reset: () => this.reset(),
      swallow: () => this.swallow(),
    };
  }

  #write(bytes: Buffer, to: Socket): void | Promise<void> {
    if (this.#swallowing || !to.writable) return;
    if (this.settings.bytesPerChunk < bytes.length) return this.#writeInChunks(bytes, to);
    to.write(bytes);
  }

  /** The event loop must poll between two chunks, otherwise a reader in this process would get them as one chunk. */
  async #writeInChunks(bytes: Buffer, to: Socket): Promise<void> {
    for (let rest = bytes; rest.length > 0 && to.writable && !this.#swallowing;) {
      const size = Math.min(this.settings.bytesPerChunk, rest.length);
      to.write(rest.subarray(0, size));
      rest = rest.subarray(size);
      await nextTurn(); // still the same iteration if the call came from a socket
      await nextTurn();
    }
  }

  #passEnd(to: Socket | undefined): void {
    if (!this.#swallowing) to?.end();
  }
}

function sleepUntil(due: number): Promise<void> | undefined {
  return due > performance.now() ? sleepAtLeastUntil(due) : undefined;
}

/** Timers use a different clock with whole milliseconds, and may fire up to 2 ms early. */
async function sleepAtLeastUntil(due: number): Promise<void> {
  for (let left = due - performance.now(); left > 0; left = due - performance.now()) await sleep(left);
}
