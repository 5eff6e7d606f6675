import type { Endpoint } from '../support/raw-connection.js';
import { closeSession, type Call } from './protocol/calls.js';
import type { Names } from './protocol/names.js';
import { ProtocolClient, type ConnectOptions } from './protocol/protocol-client.js';

/** Where the actors' lines go. */
interface Stage {
  note(line: string): void;
  settle(): Promise<void>;
}

/** A client in a scenario: what it does is written down, and so is what everybody hears of it. */
export class Actor {
  readonly client: ProtocolClient;
  /** Sends nothing by itself either, so that its session can time out. */
  silent = false;
  /** What it hears is not written down for the time being. */
  reticent = false;

  constructor(
    readonly name: string,
    server: Endpoint,
    private readonly names: Names,
    private readonly stage: Stage,
  ) {
    this.client = new ProtocolClient(name, server, names);
  }

  get zxid(): bigint {
    return this.client.lastZxid;
  }

  async connects(options: ConnectOptions = {}): Promise<void> {
    this.#says(`connects ${this.#show(options)}`);
    await this.client.connect(options);
    await this.stage.settle();
  }

  /** Goes on with a session, its own if nothing else is said, on a new connection. */
  async attaches(options: ConnectOptions = {}, session: Actor = this): Promise<void> {
    await this.connects({ ...session.client.session, ...options });
  }

  /** Opens a connection without a handshake. */
  async opens(): Promise<void> {
    this.#says('opens a connection');
    await this.client.open();
  }

  /** One request after the other, each behind the reply to the one before. */
  async does(...calls: Call[]): Promise<void> {
    for (const call of calls) await this.pipelines(call);
  }

  /** All requests in one piece. */
  async pipelines(...calls: Call[]): Promise<void> {
    await this.#sends(this.client.send(calls));
  }

  /** All requests, each byte for itself. */
  async dribbles(...calls: Call[]): Promise<void> {
    await this.#sends(this.client.send(calls, 1));
  }

  async #sends(lines: readonly string[]): Promise<void> {
    for (const line of lines) this.#says(line);
    // Only what has been answered is sure to have been told to the others.
    await this.client.settle();
    await this.stage.settle();
  }

  /** Requests that the server is to answer by ending the connection. */
  async ends(...calls: Call[]): Promise<void> {
    for (const line of this.client.send(calls)) this.#says(line);
    await this.client.settleEnd();
    await this.stage.settle();
  }

  /** Bytes that the server is to answer by ending the connection. */
  async endsWith(bytes: Buffer, description: string): Promise<void> {
    this.#says(description);
    this.client.sendBytes(bytes);
    await this.client.settleEnd();
    await this.stage.settle();
  }

  async closes(): Promise<void> {
    await this.ends(closeSession());
  }

  /** Ends its connection; the session goes on. */
  async drops(): Promise<void> {
    this.#says('drops its connection');
    await this.client.drop();
    await this.stage.settle();
  }

  #says(line: string): void {
    this.stage.note(`${this.name} > ${line}`);
  }

  #show({ id, password, lastZxidSeen, ...plain }: ConnectOptions): string {
    const shown = {
      ...plain,
      ...(id === undefined ? {} : { id: this.names.session(id) }),
      ...(password === undefined ? {} : { password: this.names.password(password) }),
      ...(lastZxidSeen === undefined ? {} : { lastZxidSeen: this.names.zxid(lastZxidSeen) }),
    };
    return JSON.stringify(shown);
  }
}
