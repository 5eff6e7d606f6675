import type { Endpoint } from '../support/raw-connection.js';
import { closeSession, type Call } from './protocol/calls.js';
import type { Names } from './protocol/names.js';
import { ProtocolClient, type ConnectOptions } from './protocol/protocol-client.js';

/** The run of a scenario, as its clients use it. */
interface Run {
  note(line: string): void;
  settle(): Promise<void>;
}

/** A client in a scenario. The transcript gets what it does, and what all clients receive then. */
export class ScenarioClient {
  readonly protocol: ProtocolClient;
  /** Sends no pings between the steps, so that its session can time out. */
  silent = false;
  /** What it receives is kept back from the transcript for now. */
  muted = false;

  constructor(
    readonly name: string,
    server: Endpoint,
    private readonly names: Names,
    private readonly run: Run,
  ) {
    this.protocol = new ProtocolClient(name, server, names);
  }

  get zxid(): bigint {
    return this.protocol.lastZxid;
  }

  async connects(options: ConnectOptions = {}): Promise<void> {
    this.#says(`connects ${this.#show(options)}`);
    await this.protocol.connect(options);
    await this.run.settle();
  }

  /** Continues a session on a new connection; its own session by default. */
  async attaches(options: ConnectOptions = {}, session: ScenarioClient = this): Promise<void> {
    await this.connects({ ...session.protocol.session, ...options });
  }

  /** Opens a connection without a handshake. */
  async opens(): Promise<void> {
    this.#says('opens a connection');
    await this.protocol.open();
  }

  /** Sends each request after the reply to the one before. */
  async does(...calls: Call[]): Promise<void> {
    for (const call of calls) await this.pipelines(call);
  }

  /** Sends all requests in one write. */
  async pipelines(...calls: Call[]): Promise<void> {
    await this.#sends(this.protocol.send(calls));
  }

  /** Sends all requests, one byte per write. */
  async dribbles(...calls: Call[]): Promise<void> {
    await this.#sends(this.protocol.send(calls, 1));
  }

  async #sends(lines: readonly string[]): Promise<void> {
    for (const line of lines) this.#says(line);
    // The server has notified the other clients when it has answered, not before.
    await this.protocol.settle();
    await this.run.settle();
  }

  /** Sends requests to which the server must respond by closing the connection. */
  async ends(...calls: Call[]): Promise<void> {
    for (const line of this.protocol.send(calls)) this.#says(line);
    await this.protocol.settleEnd();
    await this.run.settle();
  }

  /** Sends bytes to which the server must respond by closing the connection. */
  async endsWith(bytes: Buffer, description: string): Promise<void> {
    this.#says(description);
    this.protocol.sendBytes(bytes);
    await this.protocol.settleEnd();
    await this.run.settle();
  }

  async closes(): Promise<void> {
    await this.ends(closeSession());
  }

  /** Closes its connection; the session continues. */
  async drops(): Promise<void> {
    this.#says('drops its connection');
    await this.protocol.drop();
    await this.run.settle();
  }

  #says(line: string): void {
    this.run.note(`${this.name} > ${line}`);
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
