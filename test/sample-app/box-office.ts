import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLockService } from '../../lib/create-lock-service.js';
import type { LockService } from '../../lib/lock.service.js';
import { EmbeddedZooKeeper } from '../../lib/testing/index.js';
import { killed, opened, startBoxOffice } from './box-office-process.js';

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
    const child = startBoxOffice({ ZOOKEEPER: connectString, BOX_OFFICE_DATA: directory });
    this.#cleanUps.push(() => killed(child));
    this.#url = await opened(child);
  }
}
