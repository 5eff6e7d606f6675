import { JuteReader, JuteWriter } from '../../support/jute.js';
import { RawConnection, type Endpoint } from '../../support/raw-connection.js';
import { ping, type Call } from './calls.js';
import type { KnownSession } from '../../support/raw-records.js';
import { encode, showCall, showNotification, showReply } from './codec.js';
import type { Names } from './names.js';

const NOTIFICATION_XID = -1;
const PING_XID = -2;
/** An answer on loopback takes as long as a busy machine makes it. */
const PATIENCE_MS = 20_000;
/** What a server that will not end a connection is given to do so. */
const END_PATIENCE_MS = 5_000;

export interface ConnectOptions {
  /** Asked for, ms. @default 30_000 */
  readonly timeout?: number;
  /** @default 0n, a new session */
  readonly id?: bigint;
  /** @default 16 zeros */
  readonly password?: Buffer | null;
  readonly lastZxidSeen?: bigint;
  readonly protocolVersion?: number;
  /** `undefined` sends no such field, like clients before 3.4. @default false */
  readonly readOnly?: boolean | undefined;
}

/** A client that says exactly what it is told to, and keeps everything it hears, in order. */
export class ProtocolClient {
  /** All sessions it was ever given, those that have ended included. */
  readonly sessions: KnownSession[] = [];
  #connection: RawConnection | undefined;
  #heard: string[] = [];
  #unanswered: { readonly xid: number; readonly code: number }[] = [];
  /** Called one after the other as the answers to our own pings come. */
  #settled: (() => void)[] = [];
  #xid = 0;
  #lastZxid = 0n;

  constructor(
    readonly name: string,
    private readonly server: Endpoint,
    private readonly names: Names,
  ) {}

  /** The one it was given last. */
  get session(): KnownSession {
    return this.sessions.at(-1) ?? { id: 0n, password: Buffer.alloc(16) };
  }

  /** The latest it was told of; what a client tells the next server it connects to. */
  get lastZxid(): bigint {
    return this.#lastZxid;
  }

  get connected(): boolean {
    return this.#connection?.connected ?? false;
  }

  get heardCount(): number {
    return this.#heard.length;
  }

  /** What has been heard since the last time. */
  takeHeard(): string[] {
    return this.#heard.splice(0);
  }

  /** Connects and shakes hands; resolved when the server has answered, and ended the connection if it refused. */
  async connect(options: ConnectOptions): Promise<void> {
    const former = this.connected ? this.#connection : undefined;
    const connection = await this.open();
    const greeted = new Promise<boolean>((resolve) => {
      connection.observe((body) => {
        connection.observe((next) => this.#hear(next));
        resolve(this.#greet(new JuteReader(body)));
      });
    });
    connection.send(handshake(options));
    const accepted = await Promise.race([greeted, connection.ended]);
    if (accepted !== true) await this.settleEnd();
    // Two connections of one session end and begin in no order that a client could see.
    if (former && !(await within(END_PATIENCE_MS, former.ended))) this.#heard.push('former connection ended');
  }

  /** Opens a connection and says nothing yet. */
  async open(): Promise<RawConnection> {
    this.#unanswered = [];
    this.#settled = [];
    const connection = await RawConnection.open(this.server, PATIENCE_MS);
    this.#connection = connection;
    connection.observe((body) => this.#heard.push(`frame of ${body.length} bytes`));
    void connection.ended.then(() => {
      if (this.#connection === connection) this.#heard.push('connection ended');
    });
    return connection;
  }

  /** Sends in one piece, or in pieces of so many bytes; the requests as they look in a transcript. */
  send(calls: readonly Call[], pieceBytes = Number.POSITIVE_INFINITY): string[] {
    if (!this.connected) throw new Error(`${this.name} has no connection to send anything over.`);
    const numbered = calls.map((call) => ({ call, xid: call.xid ?? (this.#xid += 1) }));
    this.#unanswered.push(...numbered.map(({ call, xid }) => ({ xid, code: call.code })));
    const bytes = Buffer.concat(numbered.map(({ call, xid }) => encode(call, xid, this.names)));
    for (let start = 0; start < bytes.length; start += pieceBytes)
      this.#connection!.send(bytes.subarray(start, start + pieceBytes));
    return numbered.map(({ call, xid }) => showCall(call, xid, this.names));
  }

  sendBytes(bytes: Buffer): void {
    this.#connection?.send(bytes);
  }

  /**
   * Resolved when everything the server had to say before now has arrived, or the connection has ended. It answers in
   * order, so that the answer to a ping comes behind the replies and watch events that were due.
   */
  async settle(): Promise<void> {
    const connection = this.#connection;
    if (!connection?.connected) return connection?.ended;
    const answered = new Promise<void>((resolve) => this.#settled.push(resolve));
    connection.send(encode(ping(), PING_XID, this.names));
    const late = await within(PATIENCE_MS, Promise.race([answered, connection.ended]));
    if (late) throw new Error(`${this.name} had no answer to a ping within ${PATIENCE_MS} ms.`);
  }

  /** Resolved when the server has ended the connection. One that it does not end is told, and left as it is. */
  async settleEnd(): Promise<void> {
    if (!this.#connection) return;
    if (await within(END_PATIENCE_MS, this.#connection.ended)) this.#heard.push('connection goes on');
  }

  /** Ends the connection from this side; the session lives on. */
  async drop(): Promise<void> {
    this.#connection?.destroy();
    await this.#connection?.ended;
  }

  /** Whether there is a session now. */
  #greet(reply: JuteReader): boolean {
    const [protocol, timeout] = [reply.int(), reply.int()];
    const id = reply.long();
    const password = reply.bufferOrNull();
    const readOnly = reply.remaining > 0 ? ` readOnly=${reply.byte()}` : '';
    const who = `session=${this.names.session(id)} password=${this.names.password(password)}`;
    this.#heard.push(`handshake protocol=${protocol} timeout=${timeout} ${who}${readOnly}`);
    if (id === 0n) return false;
    if (id !== this.session.id) this.sessions.push({ id, password: Buffer.from(password ?? []) });
    return true;
  }

  #hear(body: Buffer): void {
    const reader = new JuteReader(body);
    const xid = reader.int();
    if (xid === NOTIFICATION_XID) return void this.#heard.push(showNotification(reader, this.names));
    const zxid = body.readBigInt64BE(4);
    if (zxid > this.#lastZxid) this.#lastZxid = zxid;
    const index = this.#unanswered.findIndex((request) => request.xid === xid);
    if (index < 0 && xid === PING_XID && this.#settled.length > 0) return this.#settled.shift()!();
    const [request] = index < 0 ? [] : this.#unanswered.splice(index, 1);
    this.#heard.push(showReply(reader, xid, request?.code, this.names));
  }
}

/** True if the time was over first. */
async function within(ms: number, event: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(true), ms)));
  const inTime = event.then(() => false);
  return Promise.race([inTime, late]).finally(() => clearTimeout(timer));
}

function handshake(options: ConnectOptions): Buffer {
  const { timeout = 30_000, id = 0n, password = Buffer.alloc(16), lastZxidSeen = 0n } = options;
  const writer = new JuteWriter()
    .int(options.protocolVersion ?? 0)
    .long(lastZxidSeen)
    .int(timeout)
    .long(id);
  if (password === null) writer.int(-1);
  else writer.buffer(password);
  const readOnly = 'readOnly' in options ? options.readOnly : false;
  return (readOnly === undefined ? writer : writer.bool(readOnly)).frame();
}
