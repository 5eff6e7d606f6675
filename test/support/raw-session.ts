import { ifThere } from './if-there.js';
import { JuteWriter, type JuteReader } from './jute.js';
import { RawConnection, type Endpoint, type RawNotification } from './raw-connection.js';
import {
  CREATE_FLAGS,
  RawSessionError,
  readStat,
  type RawCreateMode,
  type RawSessionOptions,
  type RawStat,
  type KnownSession,
} from './raw-records.js';

export { RawSessionError, type RawCreateMode, type RawSessionOptions, type RawStat } from './raw-records.js';

/** An ACL entry; 31 means all permissions. */
export interface RawAcl {
  readonly scheme: string;
  readonly id: string;
  readonly permissions: number;
}

const OPEN: RawAcl = { scheme: 'world', id: 'anyone', permissions: 31 };
const NO_SESSION: KnownSession = { id: 0n, password: Buffer.alloc(16) };

/**
 * A minimal ZooKeeper client: one socket, one session, no pings unless asked for, no reconnection. Tests use it to act as
 * another program and to read the state of the server without the code under test.
 */
export class RawSession implements AsyncDisposable {
  #xid = 0;

  private constructor(
    private readonly connection: RawConnection,
    readonly id: bigint,
    readonly password: Buffer,
    /** The negotiated timeout, ms. */
    readonly sessionTimeout: number,
  ) {}

  /** Rejects if the server refuses the session, for example because it has expired. */
  static async connect(target: Endpoint, options: RawSessionOptions = {}): Promise<RawSession> {
    const connection = await RawConnection.open(target, options.timeoutMs ?? 10_000, options.tls);
    try {
      const session = await RawSession.#handshake(connection, options);
      if (options.auth !== undefined) await session.#authenticate(options.auth);
      if (options.keepAlive === true) session.#keepAlive();
      return session;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  /** Ends another session immediately, like an expiry, by moving it to a new connection and closing it. */
  static async expire(target: Endpoint, session: KnownSession): Promise<void> {
    const twin = await RawSession.connect(target, { session });
    await twin.closeSession();
  }

  get notifications(): readonly RawNotification[] {
    return this.connection.notifications;
  }

  get connected(): boolean {
    return this.connection.connected;
  }

  /** Resolves with the actual path, including the sequence number if any, and the stat of the node. */
  async create2(
    path: string,
    mode: RawCreateMode = 'persistent',
    data = Buffer.alloc(0),
    acl: readonly RawAcl[] = [OPEN],
  ): Promise<{ path: string; stat: RawStat }> {
    const opcode = mode === 'container' ? 19 : 15;
    const reply = await this.#request(opcode, `create of ${path}`, (writer) => {
      writer.string(path).buffer(data);
      writer.int(acl.length);
      for (const { permissions, scheme, id } of acl) writer.int(permissions).string(scheme).string(id);
      return writer.int(CREATE_FLAGS[mode]);
    });
    return { path: reply.string(), stat: readStat(reply) };
  }

  async exists(path: string, watch = false): Promise<RawStat | null> {
    const reply = await ifThere(this.#read(3, 'exists', path, watch));
    return reply === undefined ? null : readStat(reply);
  }

  async getData(path: string, watch = false): Promise<{ data: Buffer; stat: RawStat }> {
    const reply = await this.#read(4, 'getData', path, watch);
    return { data: reply.buffer(), stat: readStat(reply) };
  }

  async getChildren(path: string, watch = false): Promise<string[]> {
    return (await this.#read(8, 'getChildren', path, watch)).strings();
  }

  async setData(path: string, data: Buffer): Promise<void> {
    await this.#request(5, `setData of ${path}`, (writer) => writer.string(path).buffer(data).int(-1));
  }

  async delete(path: string): Promise<void> {
    await this.#request(2, `delete of ${path}`, (writer) => writer.string(path).int(-1));
  }

  /** Keeps the session alive. */
  async ping(): Promise<void> {
    await this.#request(11, 'a ping', (writer) => writer, -2);
  }

  /** After this, reads on this connection see all earlier writes of all clients. */
  async sync(path = '/'): Promise<void> {
    await this.#request(9, `sync of ${path}`, (writer) => writer.string(path));
  }

  /** Closes the session, which deletes its ephemeral nodes, and the connection. */
  async closeSession(): Promise<void> {
    await this.#request(-11, 'the end of the session', (writer) => writer);
    this.destroy();
  }

  /** Closes only the connection; the session continues until it times out. */
  destroy(): void {
    this.connection.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.connected) await this.closeSession().catch(() => this.destroy());
  }

  static async #handshake(connection: RawConnection, options: RawSessionOptions): Promise<RawSession> {
    const { sessionTimeout = 30_000, session = NO_SESSION } = options;
    const request = new JuteWriter().int(0).long(0n).int(sessionTimeout);
    request.long(session.id).buffer(session.password).bool(false);
    const reply = await connection.exchange(request.frame(), 'the connect request');
    reply.int(); // protocol version
    const negotiated = reply.int();
    const id = reply.long();
    if (id === 0n || negotiated <= 0) throw new Error('The server says that the session has expired.');
    return new RawSession(connection, id, Buffer.from(reply.buffer()), negotiated);
  }

  async #authenticate(credential: string): Promise<void> {
    await this.#request(
      100,
      'a credential',
      (writer) => writer.int(0).string('digest').buffer(Buffer.from(credential)),
      -4,
    );
  }

  #keepAlive(): void {
    const timer = setInterval(() => void this.ping().catch(() => {}), this.sessionTimeout / 4).unref();
    void this.connection.ended.then(() => clearInterval(timer));
  }

  #read(opcode: number, name: string, path: string, watch: boolean): Promise<JuteReader> {
    return this.#request(opcode, `${name} of ${path}`, (writer) => writer.string(path).bool(watch));
  }

  async #request(
    opcode: number,
    name: string,
    write: (writer: JuteWriter) => JuteWriter,
    xid = ++this.#xid,
  ): Promise<JuteReader> {
    const frame = write(new JuteWriter().int(xid).int(opcode)).frame();
    const reply = await this.connection.exchange(frame, name, xid);
    reply.int(); // xid
    reply.long(); // zxid
    const error = reply.int();
    if (error !== 0) throw new RawSessionError(error, name);
    return reply;
  }
}
