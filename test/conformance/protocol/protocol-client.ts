import { JuteReader, JuteWriter } from '../../support/jute.js';
import { RawConnection, type Endpoint } from '../../support/raw-connection.js';
import { ping, type Call } from './calls.js';
import type { KnownSession } from '../../support/raw-records.js';
import { encode, showCall, showNotification, showReply } from './codec.js';
import type { Names } from './names.js';

const NOTIFICATION_XID = -1;
const PING_XID = -2;
/** Timeout for a reply, ms: loopback can be slow on a busy machine. */
const PATIENCE_MS = 20_000;
/** Timeout for the server to close a connection, ms. */
const END_PATIENCE_MS = 5_000;

export interface ConnectOptions {
  /** The requested timeout, ms. @default 30_000 */
  readonly timeout?: number;
  /** @default 0n, a new session */
  readonly id?: bigint;
  /** @default 16 zeros */
  readonly password?: Buffer | null;
  readonly lastZxidSeen?: bigint;
  readonly protocolVersion?: number;
  /** `undefined` omits the field, like clients before 3.4. @default false */
  readonly readOnly?: boolean | undefined;
}

/** A client that sends exactly the given requests and records everything it receives, in order. */
export class ProtocolClient {
  /** All sessions of this client, including ended ones. */
  readonly sessions: KnownSession[] = [];
  #connection: RawConnection | undefined;
  #received: string[] = [];
  #unanswered: { readonly xid: number; readonly code: number }[] = [];
  /** Called one after the other when the replies to the pings of `settle` arrive. */
  #settled: (() => void)[] = [];
  #xid = 0;
  #lastZxid = 0n;

  constructor(
    readonly name: string,
    private readonly server: Endpoint,
    private readonly names: Names,
  ) {}

  /** The last session. */
  get session(): KnownSession {
    return this.sessions.at(-1) ?? { id: 0n, password: Buffer.alloc(16) };
  }

  /** The last transaction in a reply, which a client sends to the next server. */
  get lastZxid(): bigint {
    return this.#lastZxid;
  }

  get connected(): boolean {
    return this.#connection?.connected ?? false;
  }

  get receivedCount(): number {
    return this.#received.length;
  }

  /** Returns and removes everything received since the last call. */
  takeReceived(): string[] {
    return this.#received.splice(0);
  }

  /** Opens a connection with a handshake; resolves when the server has accepted it, or refused and closed it. */
  async connect(options: ConnectOptions): Promise<void> {
    const former = this.connected ? this.#connection : undefined;
    const connection = await this.open();
    const handshakeReply = new Promise<boolean>((resolve) => {
      connection.observe((body) => {
        connection.observe((next) => this.#receive(next));
        resolve(this.#acceptHandshake(new JuteReader(body)));
      });
    });
    connection.send(handshake(options));
    const accepted = await Promise.race([handshakeReply, connection.ended]);
    if (accepted !== true) await this.settleEnd();
    // The order in which two connections of one session end and begin is undefined for clients.
    if (former && !(await within(END_PATIENCE_MS, former.ended)))
      this.#received.push('former connection ended');
  }

  /** Opens a connection without a handshake. */
  async open(): Promise<RawConnection> {
    this.#unanswered = [];
    this.#settled = [];
    const connection = await RawConnection.open(this.server, PATIENCE_MS);
    this.#connection = connection;
    connection.observe((body) => this.#received.push(`frame of ${body.length} bytes`));
    void connection.ended.then(() => {
      if (this.#connection === connection) this.#received.push('connection ended');
    });
    return connection;
  }

  /** Sends requests in one write or in chunks; returns them as they appear in a transcript. */
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
   * Resolves when everything that the server has sent so far has arrived, or the connection has ended. Replies are in
   * order, so the reply to a ping follows all earlier replies and watch events.
   */
  async settle(): Promise<void> {
    const connection = this.#connection;
    if (!connection?.connected) return connection?.ended;
    const answered = new Promise<void>((resolve) => this.#settled.push(resolve));
    connection.send(encode(ping(), PING_XID, this.names));
    const late = await within(PATIENCE_MS, Promise.race([answered, connection.ended]));
    if (late) throw new Error(`${this.name} had no answer to a ping within ${PATIENCE_MS} ms.`);
  }

  /** Resolves when the server has closed the connection, or records that it has not. */
  async settleEnd(): Promise<void> {
    if (!this.#connection) return;
    if (await within(END_PATIENCE_MS, this.#connection.ended)) this.#received.push('connection goes on');
  }

  /** Closes the connection; the session continues. */
  async drop(): Promise<void> {
    this.#connection?.destroy();
    await this.#connection?.ended;
  }

  /** Returns whether the server has accepted the session. */
  #acceptHandshake(reply: JuteReader): boolean {
    const [protocol, timeout] = [reply.int(), reply.int()];
    const id = reply.long();
    const password = reply.bufferOrNull();
    const readOnly = reply.remaining > 0 ? ` readOnly=${reply.byte()}` : '';
    const who = `session=${this.names.session(id)} password=${this.names.password(password)}`;
    this.#received.push(`handshake protocol=${protocol} timeout=${timeout} ${who}${readOnly}`);
    if (id === 0n) return false;
    if (id !== this.session.id) this.sessions.push({ id, password: Buffer.from(password ?? []) });
    return true;
  }

  #receive(body: Buffer): void {
    const reader = new JuteReader(body);
    const xid = reader.int();
    if (xid === NOTIFICATION_XID) return void this.#received.push(showNotification(reader, this.names));
    const zxid = body.readBigInt64BE(4);
    if (zxid > this.#lastZxid) this.#lastZxid = zxid;
    const index = this.#unanswered.findIndex((request) => request.xid === xid);
    if (index < 0 && xid === PING_XID && this.#settled.length > 0) return this.#settled.shift()!();
    const [request] = index < 0 ? [] : this.#unanswered.splice(index, 1);
    this.#received.push(showReply(reader, xid, request?.code, this.names));
  }
}

/** Resolves with true if the time passed first. */
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
