import { eventually } from '../support/eventually.js';
import { fourLetter, type FourLetterWord } from '../support/four-letter.js';
import type { Endpoint } from '../support/raw-connection.js';
import { ScenarioClient } from './scenario-client.js';
import { closeSession, create } from './protocol/calls.js';
import { ProtocolClient, type ConnectOptions } from './protocol/protocol-client.js';
import { Names } from './protocol/names.js';

/** Their answers count the replies sent on each connection. A real server counts a reply after it has sent it. */
const COUNTING: ReadonlySet<FourLetterWord> = new Set(['cons', 'stat']);

/** The steps of several clients. Paths begin with `~`, the node under which this scenario runs. */
export type Script = (run: ScenarioRun) => Promise<void>;

/** One run of a script on one server, with the transcript of everything that its clients sent and received. */
export class ScenarioRun {
  readonly #clients: ScenarioClient[] = [];
  readonly #lines: string[] = [];
  readonly #names: Names;

  private constructor(
    private readonly server: Endpoint,
    root: string,
  ) {
    this.#names = new Names(root);
  }

  /** Resolves with the transcript. If the script fails, the last line says so. */
  static async perform(server: Endpoint, root: string, script: Script): Promise<string> {
    const run = new ScenarioRun(server, root);
    try {
      await run.#prepare();
      await script(run);
    } catch (error) {
      run.note(`the script failed: ${String(error)}`);
    }
    await run.#leave();
    return run.#lines.join('\n');
  }

  get root(): string {
    return this.#names.root;
  }

  /** A client that has no connection yet. */
  client(name: string): ScenarioClient {
    const client = new ScenarioClient(name, this.server, this.#names, this);
    this.#clients.push(client);
    return client;
  }

  async connect(name: string, options: ConnectOptions = {}): Promise<ScenarioClient> {
    const client = this.client(name);
    await client.connects(options);
    return client;
  }

  note(line: string): void {
    this.#lines.push(line);
  }

  /** Waits until the clients have received everything that the server has sent, and adds it to the transcript. */
  async settle(): Promise<void> {
    await this.#settleAll();
    this.#tell();
  }

  /**
   * Runs `steps` and waits for events whose time is not known: until each of these clients has received this many
   * messages. They are added to the transcript together.
   */
  async until(messages: Readonly<Record<string, number>>, steps: () => Promise<void> | void): Promise<void> {
    const due = this.#clients.filter(({ name }) => name in messages);
    for (const client of due) client.muted = true;
    await steps();
    const happened = (): boolean =>
      due.every(({ name, protocol }) => protocol.receivedCount >= messages[name]!);
    await eventually(() => this.#settleAll().then(happened), { intervalMs: 50, timeoutMs: 30_000 });
    for (const client of due) client.muted = false;
    this.#tell();
  }

  /** Sends a four-letter word, and adds what `shown` makes of the answer to the transcript. */
  async word(word: FourLetterWord, shown: (text: string) => string = (text) => text): Promise<void> {
    const ask = async (): Promise<string> => shown(this.#names.text(await fourLetter(this.server, word)));
    this.note(`${word}:\n${COUNTING.has(word) ? await atRest(ask) : await ask()}`);
  }

  async #settleAll(): Promise<void> {
    await Promise.all(
      this.#clients.filter((client) => !client.silent).map((client) => client.protocol.settle()),
    );
  }

  #tell(): void {
    for (const { name, protocol } of this.#clients.filter((client) => !client.muted)) {
      for (const line of protocol.takeReceived()) this.note(`${name} < ${line}`);
    }
  }

  async #prepare(): Promise<void> {
    const setup = new ProtocolClient('setup', this.server, new Names(this.root));
    await setup.connect({});
    setup.send([create('~')]);
    await setup.settle();
    this.#names.countFrom(setup.lastZxid);
    await end(setup);
  }

  /** Closes every session: one that expired later would add a transaction to the next scenario. */
  async #leave(): Promise<void> {
    for (const { protocol: client } of this.#clients) {
      await client.drop();
      for (const session of [...client.sessions]) {
        await client.connect(session);
        if (client.connected) await end(client);
      }
    }
  }
}

/** Closes the session, and waits until the server has closed the connection. */
async function end(client: ProtocolClient): Promise<void> {
  client.send([closeSession()]);
  await client.settleEnd();
}

/** The answer, once two in a row are the same. */
async function atRest(ask: () => Promise<string>): Promise<string> {
  let told: string | undefined;
  const same = async (): Promise<boolean> => {
    const before = told;
    told = await ask();
    return told === before;
  };
  await eventually(same, { intervalMs: 50, describe: 'an answer that stays' });
  return told!;
}
