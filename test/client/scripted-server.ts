import type { Socket } from 'node:net';
import { JuteReader, JuteWriter } from '../support/jute.js';
import { LoopbackListener } from '../support/loopback-listener.js';
import { FrameDecoder } from '../support/zookeeper-frames.js';

/** A connect request, read field by field. */
export interface ConnectRequest {
  readonly lastZxid: bigint;
  readonly timeout: number;
  readonly sessionId: bigint;
  readonly password: Buffer;
}

export interface ScriptedRequest {
  readonly xid: number;
  readonly type: number;
  /** What follows the header. */
  readonly body: JuteReader;
}

/** The server's side of one connection. */
export interface ScriptedPeer {
  readonly socket: Socket;
  /** Counts the connections from 1. */
  readonly number: number;
  send(...frames: Buffer[]): void;
  cut(): void;
}

export interface Script {
  /** Default: opens session `SCRIPTED_SESSION` with `SCRIPTED_TIMEOUT_MS`, or continues the requested session. */
  connect?(peer: ScriptedPeer, connectRequest: ConnectRequest): void;
  /** Default: answers success without a payload. */
  request?(peer: ScriptedPeer, request: ScriptedRequest): void;
}

/** Negative and beyond the integers of a double, like the session ids of servers with a high number (H50). */
export const SCRIPTED_SESSION = -0x7edc_ba98_7654_3210n;
export const SCRIPTED_TIMEOUT_MS = 20_000;

/** A server that sends the replies of a test, including replies that ZooKeeper never sends. */
export class ScriptedServer implements AsyncDisposable {
  readonly connectRequests: ConnectRequest[] = [];
  readonly #peers = new Set<Socket>();
  #observer: (chunk: Buffer) => void = () => {};
  #listener!: LoopbackListener;

  private constructor(private readonly script: Script) {}

  static async start(script: Script = {}): Promise<ScriptedServer> {
    const server = new ScriptedServer(script);
    server.#listener = await LoopbackListener.open((socket) => server.#serve(socket));
    return server;
  }

  get port(): number {
    return this.#listener.port;
  }

  get connectString(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Connections accepted so far. */
  get accepted(): number {
    return this.connectRequests.length;
  }

  get open(): number {
    return this.#peers.size;
  }

  /** Every chunk as it arrives from now on. */
  observe(observer: (chunk: Buffer) => void): void {
    this.#observer = observer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.refuse();
    for (const socket of this.#peers) socket.destroy();
  }

  #serve(socket: Socket): void {
    const decoder = new FrameDecoder();
    let connectRequest: ConnectRequest | undefined;
    const peer: ScriptedPeer = {
      socket,
      number: this.accepted + 1,
      send: (...frames) => void socket.write(Buffer.concat(frames)),
      cut: () => socket.destroy(),
    };
    this.#peers.add(socket);
    socket.on('close', () => this.#peers.delete(socket));
    socket.on('end', () => socket.destroy());
    socket.on('error', () => {});
    socket.on('data', (chunk: Buffer) => {
      this.#observer(chunk);
      for (const frame of decoder.push(chunk)) {
        const reader = new JuteReader(frame.subarray(4));
        if (connectRequest === undefined) this.#connect(peer, (connectRequest = readConnectRequest(reader)));
        else this.#request(peer, { xid: reader.int(), type: reader.int(), body: reader });
      }
    });
  }

  #connect(peer: ScriptedPeer, connectRequest: ConnectRequest): void {
    this.connectRequests.push(connectRequest);
    if (this.script.connect) this.script.connect(peer, connectRequest);
    else peer.send(connectResponse({ sessionId: connectRequest.sessionId || SCRIPTED_SESSION }));
  }

  #request(peer: ScriptedPeer, request: ScriptedRequest): void {
    if (this.script.request) this.script.request(peer, request);
    else peer.send(reply(request.xid));
  }
}

export function connectResponse({
  sessionId = SCRIPTED_SESSION,
  timeout = SCRIPTED_TIMEOUT_MS,
  password = Buffer.alloc(16, 7),
} = {}): Buffer {
  return new JuteWriter().int(0).int(timeout).long(sessionId).buffer(password).bool(false).frame();
}

interface ReplyOptions {
  readonly err?: number;
  readonly zxid?: bigint;
  readonly payload?: (writer: JuteWriter) => JuteWriter;
}

export function reply(
  xid: number,
  { err = 0, zxid = 1n, payload = (writer) => writer }: ReplyOptions = {},
): Buffer {
  return payload(new JuteWriter().int(xid).long(zxid).int(err)).frame();
}

export function notification(event: number, path: string): Buffer {
  return reply(-1, { zxid: -1n, payload: (writer) => writer.int(event).int(3).string(path) });
}

export function writeStat(writer: JuteWriter, { czxid = 1n, numChildren = 0 } = {}): JuteWriter {
  writer.long(czxid).long(1n).long(0n).long(0n).int(0).int(0).int(0);
  return writer.long(0n).int(0).int(numChildren).long(1n);
}

function readConnectRequest(reader: JuteReader): ConnectRequest {
  reader.int(); // protocol version
  return {
    lastZxid: reader.long(),
    timeout: reader.int(),
    sessionId: reader.long(),
    password: Buffer.from(reader.buffer()),
  };
}
