import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLockService } from '../../lib/create-lock-service.js';
import type { LockService } from '../../lib/lock.service.js';
import { EmbeddedZooKeeper } from '../../lib/testing/index.js';

const PROGRAM = fileURLToPath(new URL('../../sample-app/dist/src/main.js', import.meta.url));

/** The built sample app in a separate process, on an embedded ZooKeeper of the test. */
export class BoxOffice implements AsyncDisposable {
  readonly #cleanUps: (() => Promise<unknown>)[] = [];
  #url!: string;
  #locks!: LockService;

  private constructor() {}

  static async open(): Promise<BoxOffice> {
    const boxOffice = new BoxOffice();
    try {
      await boxOffice.#open();
      return boxOffice;
    } catch (error) {
      await boxOffice[Symbol.asyncDispose]();
      throw error;
    }
  }

  get url(): string {
    return this.#url;
  }

  /** A lock service on the same locks as the box office, like in another process. */
  get locks(): LockService {
    return this.#locks;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const cleanUp of this.#cleanUps.toReversed()) await cleanUp();
  }

  async #open(): Promise<void> {
    // The tick time of a real server: sessions must not expire on a busy machine.
    const zookeeper = await EmbeddedZooKeeper.start({ tickTime: 2_000, onNotice: false });
    this.#cleanUps.push(() => zookeeper.stop());
    const { connectString } = zookeeper;
    // Like many processes: each caller has a node, which the application can see.
    const locks = await createLockService({ connectString, root: '/box-office', localQueue: false });
    this.#cleanUps.push(() => locks.close());
    this.#locks = locks;
    const directory = await mkdtemp(join(tmpdir(), 'box-office-'));
    this.#cleanUps.push(() => rm(directory, { recursive: true, force: true }));
    const child = fork(PROGRAM, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        ...process.env,
        ZOOKEEPER: connectString,
        BOX_OFFICE_DATA: directory,
        HOST: '127.0.0.1',
        PORT: '0',
        NO_COLOR: '1',
      },
    });
    this.#cleanUps.push(() => killed(child));
    this.#url = await opened(child);
  }
}

/** Resolves with the URL, which the app sends when it listens. */
async function opened(child: ChildProcess): Promise<string> {
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const ended = once(child, 'close').then(() => {
    throw new Error(`The sample app exited before it was open:\n${output}`);
  });
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [{ url: string }];
  return message.url;
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
