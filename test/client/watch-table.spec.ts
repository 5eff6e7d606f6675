import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check';
import { expect, test } from 'vitest';
import { WatchTable, type WatchingRead } from '../../lib/zookeeper/client/watch-table.js';
import type { WatchListener } from '../../lib/zookeeper/client/zookeeper-client.interface.js';

const PATH = '/p';

/** What a listener is owed: the reads that stand for it, as far as they have not failed. */
interface Claim {
  pending: number;
  set: boolean;
}

interface SentRead {
  readonly who: number;
  readonly read: WatchingRead;
  readonly connectRequest: Claim;
  abandoned: boolean;
}

/**
 * One path, a few listeners, and a connection with a server behind it that does what ZooKeeper does: it executes in
 * order, keeps one watch, tells a change once, and answers in the order of what it did.
 */
class World {
  readonly told = [0, 0, 0];
  readonly claims = new Map<number, Claim>();
  readonly #toServer: ({ read: SentRead } | 'removal')[] = [];
  readonly #toClient: ({ read: SentRead; ok: boolean } | 'event')[] = [];
  readonly #sent: SentRead[] = [];
  watched = false;
  readonly #table = new WatchTable(() => this.#toServer.push('removal'));
  readonly #listeners: WatchListener[] = this.told.map((_, who) => () => {
    this.told[who]! += 1;
  });

  send(who: number): void {
    const connectRequest = this.claims.get(who) ?? { pending: 0, set: false };
    connectRequest.pending += 1;
    this.claims.set(who, connectRequest);
    const read = {
      who,
      read: this.#table.sent(PATH, 'data', this.#listeners[who]!),
      connectRequest,
      abandoned: false,
    };
    this.#sent.push(read);
    this.#toServer.push({ read });
  }

  abandon(index: number): void {
    const sent = this.#sent[index % Math.max(this.#sent.length, 1)];
    if (sent === undefined || sent.abandoned) return;
    sent.abandoned = true;
    sent.read.abandoned();
    this.#release(sent, false);
  }

  remove(who: number): void {
    this.claims.delete(who);
    this.#table.remove(PATH, 'data', this.#listeners[who]!);
  }

  serve(ok: boolean): void {
    const request = this.#toServer.shift();
    if (request === undefined) return;
    if (request === 'removal') {
      this.watched = false;
    } else {
      this.watched ||= ok;
      this.#toClient.push({ ...request, ok });
    }
  }

  change(): void {
    if (this.watched) this.#toClient.push('event');
    this.watched = false;
  }

  async receive(): Promise<void> {
    const message = this.#toClient.shift();
    if (message === undefined) return;
    if (message === 'event') {
      const before = [...this.told];
      this.#table.notify({ type: 'dataChanged', path: PATH });
      await Promise.resolve();
      expect(this.told).toEqual(before.map((count, who) => count + (this.claims.has(who) ? 1 : 0)));
      this.claims.clear();
    } else {
      const { read, ok } = message;
      this.#sent.splice(this.#sent.indexOf(read), 1);
      read.read.answered(ok);
      if (!read.abandoned) this.#release(read, ok);
    }
  }

  async settle(): Promise<void> {
    while (this.#toServer.length + this.#toClient.length > 0) {
      while (this.#toServer.length > 0) this.serve(true);
      await this.receive();
    }
  }

  #release({ who, connectRequest }: SentRead, ok: boolean): void {
    connectRequest.pending -= 1;
    connectRequest.set ||= ok;
    if (!connectRequest.set && connectRequest.pending === 0 && this.claims.get(who) === connectRequest)
      this.claims.delete(who);
  }
}

const steps = array(
  record({
    what: constantFrom('send', 'abandon', 'remove', 'serve', 'refuse', 'change', 'receive'),
    who: nat({ max: 2 }),
  }),
  { maxLength: 40 },
);

test('whatever happens in whatever order: whoever is interested is told once, and no watch is left for nobody', async () => {
  await assert(
    asyncProperty(steps, async (sequence) => {
      const world = new World();
      for (const { what, who } of sequence) {
        if (what === 'send') world.send(who);
        else if (what === 'abandon') world.abandon(who);
        else if (what === 'remove') world.remove(who);
        else if (what === 'serve') world.serve(true);
        else if (what === 'refuse') world.serve(false);
        else if (what === 'change') world.change();
        else await world.receive();
      }
      await world.settle();
      expect(world.watched).toBe(world.claims.size > 0);
      world.change();
      await world.settle();
      expect(world.claims.size).toBe(0);
    }),
    { numRuns: 3_000 },
  );
});

test('an abandoned read holds the take-down back until its reply, or its own watch would be forgotten', () => {
  const takenDown: string[] = [];
  const table = new WatchTable((path) => takenDown.push(path));
  const [first, second, third] = [(): void => {}, (): void => {}, (): void => {}];
  table.sent(PATH, 'data', first).answered(true);
  const abandoned = table.sent(PATH, 'data', second);
  abandoned.abandoned();
  table.remove(PATH, 'data', first);
  const later = table.sent(PATH, 'data', third);
  abandoned.answered(true);
  expect(takenDown).toEqual([]);
  later.answered(true);
  table.remove(PATH, 'data', third);
  expect(takenDown).toEqual([PATH]);
});
