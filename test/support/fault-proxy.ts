import type { Socket } from 'node:net';
import { FaultRule, FaultRules, type Fault, type FaultAction, type FaultOptions } from './fault-rules.js';
import { FrameLog, type ObservedFrame, type WaitForOptions } from './frame-log.js';
import { LoopbackListener } from './loopback-listener.js';
import { ProxiedConnection } from './proxied-connection.js';
import type { ProxySettings } from './proxy-settings.js';
import type { Endpoint } from './raw-connection.js';
import type { Direction } from './zookeeper-frames.js';

export type { Fault, FaultAction, FaultOptions } from './fault-rules.js';
export type { ObservedFrame, WaitForOptions } from './frame-log.js';

export interface FaultProxyOptions {
  /** False for a proxy that lives long and that nobody asks for `frames`. @default true */
  readonly keepFrames?: boolean;
}

/**
 * Stands between a client and a ZooKeeper server, understands what they say, and does to it what networks do: at the
 * very frame a test names, not at some time.
 */
export class FaultProxy implements AsyncDisposable {
  readonly host = '127.0.0.1';
  readonly #log = new FrameLog();
  readonly #rules = new FaultRules();
  readonly #connections = new Set<ProxiedConnection>();
  readonly #settings: ProxySettings = {
    delayMs: 0,
    bytesPerChunk: Number.POSITIVE_INFINITY,
    notificationsHeld: false,
    sessionTimeout: undefined,
    nextSessionId: undefined,
    rules: this.#rules,
    observe: (frame) => {
      if (this.options.keepFrames !== false) this.#log.add(frame);
    },
  };
  #listener!: LoopbackListener;
  #muted = false;

  private constructor(
    private readonly target: Endpoint,
    private readonly options: FaultProxyOptions,
  ) {}

  static async start(target: Endpoint, options: FaultProxyOptions = {}): Promise<FaultProxy> {
    const proxy = new FaultProxy(target, options);
    proxy.#listener = await LoopbackListener.open((client) => proxy.#serve(client));
    return proxy;
  }

  get port(): number {
    return this.#listener.port;
  }

  get connectString(): string {
    return `${this.host}:${this.port}`;
  }

  /** Ends everything, the server's side too. */
  async stop(): Promise<void> {
    this.#listener.refuse();
    for (const connection of this.#connections) connection.destroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /**
   * Lets `action` happen once: to the n-th request of that operation from now on, or to the n-th reply to one.
   * 'connect' is the handshake, 'closeSession', 'ping' and 'setWatches' are operations like any other.
   */
  once(operation: string, action: FaultAction, options: FaultOptions = {}): Fault {
    return this.#rules.add(FaultRule.of(operation, action, options));
  }

  /**
   * Passes the n-th reply to that operation on as `change` makes it, once. The bytes begin with the length of the frame,
   * and nothing mends them afterwards.
   */
  rewriteReply(operation: string, change: (frame: Buffer) => Buffer, options: FaultOptions = {}): Fault {
    return this.#rules.add(FaultRule.rewritingReply(operation, change, options));
  }

  /** Cuts the next reply in the middle: so many bytes of it pass, its length included, then FIN. */
  cutReplyAfterBytes(bytes: number): Fault {
    return this.#rules.add(FaultRule.cutReplyAfter(bytes));
  }

  /** Everything disappears, both ways, ends and resets too; new connections are accepted and never answered. */
  blackHole(): void {
    this.mute();
    for (const connection of this.#connections) connection.swallow();
  }

  /** New connections are accepted and never answered; those that exist go on. */
  mute(): void {
    this.#muted = true;
  }

  /** Ends `blackHole` and `mute`; connections that lost bytes in between are destroyed. */
  heal(): void {
    this.#muted = false;
    for (const connection of this.#connections) if (connection.swallowing) connection.destroy();
  }

  /** FIN to both sides of every connection. */
  cutAll(): void {
    for (const connection of this.#connections) connection.cut();
  }

  /** RST to both sides of every connection. */
  resetAll(): void {
    for (const connection of this.#connections) connection.reset();
  }

  /** Connections are cut, and new ones refused until `accept()`. */
  refuse(): void {
    this.#listener.refuse();
    this.cutAll();
  }

  /** Listens again, on the same port. */
  accept(): Promise<void> {
    return this.#listener.accept();
  }

  /** Notifications wait, replies overtake them. */
  holdNotifications(): void {
    this.#settings.notificationsHeld = true;
  }

  releaseNotifications(): void {
    this.#settings.notificationsHeld = false;
    for (const connection of this.#connections) connection.releaseNotifications();
  }

  /** Splits everything into pieces of so many bytes, both ways; `Infinity` ends it. */
  resegment(bytesPerChunk: number): void {
    this.#settings.bytesPerChunk = bytesPerChunk;
  }

  /** Every frame takes so much longer, both ways, in order; 0 ends it. */
  delay(ms: number): void {
    this.#settings.delayMs = ms;
  }

  /** What clients are told the negotiated timeout is; `undefined` ends it. */
  rewriteSessionTimeout(ms: number | undefined): void {
    this.#settings.sessionTimeout = ms;
  }

  /** The session the next client asks to continue; `0n` makes the server begin a new one. */
  rewriteSessionId(id: bigint): void {
    this.#settings.nextSessionId = id;
  }

  /** Everything that arrived, also what was then dropped, held or swallowed. */
  get frames(): readonly ObservedFrame[] {
    return this.#log.frames;
  }

  count(type: string, direction: Direction = 'request'): number {
    return this.#log.count(type, direction);
  }

  /** Resolves with the n-th such frame, at once if it has been seen already. */
  waitFor(type: string, options: WaitForOptions = {}): Promise<ObservedFrame> {
    return this.#log.waitFor(type, options);
  }

  #serve(client: Socket): void {
    const target = this.#muted ? undefined : this.target;
    const connection = new ProxiedConnection(client, target, this.#settings, () =>
      this.#connections.delete(connection),
    );
    this.#connections.add(connection);
  }
}
