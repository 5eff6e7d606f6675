import { eventually } from '../support/eventually.js';
import { fourLetter, type FourLetterWord } from '../support/four-letter.js';
import type { Endpoint } from '../support/raw-connection.js';
import { Actor } from './scenario-client.js';
import { closeSession, create } from './protocol/calls.js';
import { ProtocolClient, type ConnectOptions } from './protocol/protocol-client.js';
import { Names } from './protocol/names.js';

/** What they tell of each connection includes the replies sent, which a real server counts after it has sent them. */
const COUNTING: ReadonlySet<FourLetterWord> = new Set(['cons', 'stat']);

/** What several clients do, one after the other. Paths begin with `~`, which is a node of the scenario's own. */
export type Script = (play: Play) => Promise<void>;

/** One run of a script on one server, and the transcript of everything that was said and heard. */
export class Play {
  readonly #actors: Actor[] = [];
  readonly #lines: string[] = [];
  readonly #names: Names;

  private constructor(
    private readonly server: Endpoint,
    root: string,
  ) {
    this.#names = new Names(root);
  }

  /** The transcript. A script that fails says so in its last line: what it was about to judge is in those above. */
  static async perform(server: Endpoint, root: string, script: Script): Promise<string> {
    const play = new Play(server, root);
    try {
      await play.#prepare();
      await script(play);
    } catch (error) {
      play.note(`the script failed: ${String(error)}`);
    }
    await play.#leave();
    return play.#lines.join('\n');
  }

  get root(): string {
    return this.#names.root;
  }

  /** A client that has no connection yet. */
  client(name: string): Actor {
    const actor = new Actor(name, this.server, this.#names, this);
    this.#actors.push(actor);
    return actor;
  }

  async connect(name: string, options: ConnectOptions = {}): Promise<Actor> {
    const actor = this.client(name);
    await actor.connects(options);
    return actor;
  }

  note(line: string): void {
    this.#lines.push(line);
  }

  /** Waits until nothing is on its way to anybody any more, and writes down who has heard what. */
  async settle(): Promise<void> {
    await this.#settleAll();
    this.#tell();
  }

  /**
   * Waits for what happens by itself after these steps, at a time that nobody knows: until each of these clients has
   * heard so many things. They are written down together, and not before.
   */
  async until(heard: Readonly<Record<string, number>>, steps: () => Promise<void> | void): Promise<void> {
    const due = this.#actors.filter(({ name }) => name in heard);
    for (const actor of due) actor.reticent = true;
    await steps();
    const happened = (): boolean => due.every(({ name, client }) => client.heardCount >= heard[name]!);
    await eventually(() => this.#settleAll().then(happened), { intervalMs: 50, timeoutMs: 30_000 });
    for (const actor of due) actor.reticent = false;
    this.#tell();
  }

  /** Asks for a text, and writes down what `shown` makes of it. */
  async word(word: FourLetterWord, shown: (text: string) => string = (text) => text): Promise<void> {
    const ask = async (): Promise<string> => shown(this.#names.text(await fourLetter(this.server, word)));
    this.note(`${word}:\n${COUNTING.has(word) ? await atRest(ask) : await ask()}`);
  }

  async #settleAll(): Promise<void> {
    await Promise.all(this.#actors.filter((actor) => !actor.silent).map((actor) => actor.client.settle()));
  }

  #tell(): void {
    for (const { name, client } of this.#actors.filter((actor) => !actor.reticent)) {
      for (const line of client.takeHeard()) this.note(`${name} < ${line}`);
    }
  }

  async #prepare(): Promise<void> {
    const steward = new ProtocolClient('steward', this.server, new Names(this.root));
    await steward.connect({});
    steward.send([create('~')]);
    await steward.settle();
    this.#names.countFrom(steward.lastZxid);
    await end(steward);
  }

  /** No session is left behind: its end would be a transaction in the middle of the next scenario. */
  async #leave(): Promise<void> {
    for (const { client } of this.#actors) {
      await client.drop();
      for (const session of [...client.sessions]) {
        await client.connect(session);
        if (client.connected) await end(client);
      }
    }
  }
}

/** Waits until the server has ended the connection too: it then has forgotten all about it. */
async function end(client: ProtocolClient): Promise<void> {
  client.send([closeSession()]);
  await client.settleEnd();
}

/** The answer, as soon as it is the same twice. */
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
