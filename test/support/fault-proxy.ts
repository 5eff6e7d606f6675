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
  /** False for a long-lived proxy whose `frames` are not needed. @default true */
  readonly keepFrames?: boolean;
}

/**
 * A proxy between a client and a ZooKeeper server. It parses the protocol, and injects network faults at a given frame
 * instead of at a given time.
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

  /** Closes all connections, including those to the server. */
  async stop(): Promise<void> {
    this.#listener.refuse();
    for (const connection of this.#connections) connection.destroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /**
   * Applies `action` once, to the n-th request of that operation from now on, or to the n-th reply to it.
   * 'connect' is the handshake; 'closeSession', 'ping' and 'setWatches' are operations like all others.
   */
  once(operation: string, action: FaultAction, options: FaultOptions = {}): Fault {
    return this.#rules.add(FaultRule.of(operation, action, options));
  }

  /**
   * Replaces the n-th reply to that operation with the result of `change`, once. The bytes begin with the length of the
   * frame, which is not corrected afterwards.
   */
  rewriteReply(operation: string, change: (frame: Buffer) => Buffer, options: FaultOptions = {}): Fault {
    return this.#rules.add(FaultRule.rewritingReply(operation, change, options));
  }

  /** Forwards only the first `bytes` of the next reply, including its length, and then sends FIN. */
  cutReplyAfterBytes(bytes: number): Fault {
    return this.#rules.add(FaultRule.cutReplyAfter(bytes));
  }

  /** Drops everything in both directions, including FIN and RST; accepts new connections but never answers. */
  blackHole(): void {
    this.mute();
    for (const connection of this.#connections) connection.swallow();
  }

  /** Accepts new connections but never answers them; existing connections continue. */
  mute(): void {
    this.#muted = true;
  }

  /** Ends `blackHole` and `mute`; destroys connections that have lost bytes. */
  heal(): void {
    this.#muted = false;
    for (const connection of this.#connections) if (connection.swallowing) connection.destroy();
  }

  /** Sends FIN to both sides of every connection. */
  cutAll(): void {
    for (const connection of this.#connections) connection.cut();
  }

  /** Sends RST to both sides of every connection. */
  resetAll(): void {
    for (const connection of this.#connections) connection.reset();
  }

  /** Closes all connections, and refuses new ones until `accept()`. */
  refuse(): void {
    this.#listener.refuse();
    this.cutAll();
  }

  /** Listens again on the same port. */
  accept(): Promise<void> {
    return this.#listener.accept();
  }

  /** Holds notifications; replies overtake them. */
  holdNotifications(): void {
    this.#settings.notificationsHeld = true;
  }

  releaseNotifications(): void {
    this.#settings.notificationsHeld = false;
    for (const connection of this.#connections) connection.releaseNotifications();
  }

  /** Splits everything into chunks of this size, in both directions; `Infinity` ends it. */
  resegment(bytesPerChunk: number): void {
    this.#settings.bytesPerChunk = bytesPerChunk;
  }

  /** Delays every frame, in both directions and in order; 0 ends it. */
  delay(ms: number): void {
    this.#settings.delayMs = ms;
  }

  /** Replaces the negotiated timeout in the responses to clients; `undefined` ends it. */
  rewriteSessionTimeout(ms: number | undefined): void {
    this.#settings.sessionTimeout = ms;
  }

  /** Replaces the session id in the next connect request; `0n` makes the server create a new session. */
  rewriteSessionId(id: bigint): void {
    this.#settings.nextSessionId = id;
  }

  /** All frames that arrived, including dropped and held ones. */
  get frames(): readonly ObservedFrame[] {
    return this.#log.frames;
  }

  count(type: string, direction: Direction = 'request'): number {
    return this.#log.count(type, direction);
  }

  /** Resolves with the n-th such frame, immediately if it has arrived already. */
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
