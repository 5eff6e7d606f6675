import { array, assert, asyncProperty, constantFrom, nat, record } from 'fast-check';
import { expect, test } from 'vitest';
import { WatchTable, type WatchRequest } from '../../lib/zookeeper/client/watch-table.js';
import type { WatchListener } from '../../lib/zookeeper/client/zookeeper-client.interface.js';

const PATH = '/p';

/** What entitles a listener to an event: requests that are pending, or have set the watch. */
interface Interest {
  pending: number;
  set: boolean;
}

interface SentRead {
  readonly who: number;
  readonly read: WatchRequest;
  readonly interest: Interest;
  /** The last change that the client knew of; undefined for a read, which always sets a watch. */
  readonly since: number | undefined;
  abandoned: boolean;
}

interface Removal {
  /** Its reply has come. */
  readonly done: () => void;
}

interface Reply {
  readonly read: SentRead;
  readonly ok: boolean;
  /** The last change that it tells the client of. */
  readonly change: number;
}

/**
 * One path, a few listeners, and a model of a connection and a server: the server executes requests in order, keeps one
 * watch, sends one event per change, and replies in the order of execution. A request that only watches is answered by an
 * event if the client did not know the last change.
 */
class ServerModel {
  readonly notified = [0, 0, 0];
  readonly interests = new Map<number, Interest>();
  readonly #toServer: ({ read: SentRead } | Removal)[] = [];
  readonly #toClient: (Reply | Removal | 'event')[] = [];
  readonly #sent: SentRead[] = [];
  watched = false;
  #changes = 0;
  #knownChange = 0;
  /** Removals that have not been sent; what is asked for later overtakes them. */
  readonly #removals: Removal[] = [];
  readonly #table = new WatchTable((_path, _kind, done) => {
    const removal = { done };
    this.#removals.push(removal);
    return () => {
      const index = this.#removals.indexOf(removal);
      if (index >= 0) this.#removals.splice(index, 1);
      return index < 0;
    };
  });
  readonly #listeners: WatchListener[] = this.notified.map((_, who) => () => {
    this.notified[who]! += 1;
  });

  send(who: number, kind: 'read' | 'watch'): void {
    const interest = this.interests.get(who) ?? { pending: 0, set: false };
    interest.pending += 1;
    this.interests.set(who, interest);
    const read = {
      who,
      read: this.#table.asked(PATH, 'data', this.#listeners[who]!),
      interest,
      since: kind === 'watch' ? this.#knownChange : undefined,
      abandoned: false,
    };
    this.#sent.push(read);
    this.#toServer.push({ read });
  }

  abandon(index: number): void {
    const sent = this.#sent[index % Math.max(this.#sent.length, 1)];
    if (sent === undefined || sent.abandoned) return;
    sent.abandoned = true;
    sent.read.gaveUp(true);
    this.#release(sent, false);
  }

  remove(who: number): void {
    this.interests.delete(who);
    this.#table.remove(PATH, 'data', this.#listeners[who]!);
  }

  serve(ok: boolean): void {
    const request = this.#toServer.shift();
    if (request === undefined) return;
    if ('done' in request) {
      this.watched = false;
      this.#toClient.push(request);
    } else {
      const isStale = request.read.since !== undefined && request.read.since < this.#changes;
      if (isStale && ok) this.#toClient.push('event');
      else this.watched ||= ok;
      this.#toClient.push({ ...request, ok, change: this.#changes });
    }
  }

  change(): void {
    this.#changes += 1;
    if (this.watched) this.#toClient.push('event');
    this.watched = false;
  }

  async receive(): Promise<void> {
    const message = this.#toClient.shift();
    if (message === undefined) return;
    if (message === 'event') {
      const before = [...this.notified];
      this.#table.notify({ type: 'dataChanged', path: PATH });
      await Promise.resolve();
      expect(this.notified).toEqual(before.map((count, who) => count + (this.interests.has(who) ? 1 : 0)));
      this.interests.clear();
    } else if ('done' in message) {
      message.done();
    } else {
      const { read, ok, change } = message;
      this.#knownChange = change;
      this.#sent.splice(this.#sent.indexOf(read), 1);
      read.read.answered(ok);
      if (!read.abandoned) this.#release(read, ok);
    }
  }

  sendRemoval(): void {
    const removal = this.#removals.shift();
    if (removal !== undefined) this.#toServer.push(removal);
  }

  async settle(): Promise<void> {
    while (this.#removals.length + this.#toServer.length + this.#toClient.length > 0) {
      this.sendRemoval();
      while (this.#toServer.length > 0) this.serve(true);
      await this.receive();
    }
  }

  #release({ who, interest }: SentRead, ok: boolean): void {
    interest.pending -= 1;
    interest.set ||= ok;
    if (!interest.set && interest.pending === 0 && this.interests.get(who) === interest)
      this.interests.delete(who);
  }
}

const steps = array(
  record({
    what: constantFrom(
      'read',
      'watch',
      'abandon',
      'remove',
      'sendRemoval',
      'serve',
      'refuse',
      'change',
      'receive',
    ),
    who: nat({ max: 2 }),
  }),
  { maxLength: 40 },
);

test('in any order of steps, each interested listener is notified once, and no watch remains without a listener', async () => {
  await assert(
    asyncProperty(steps, async (sequence) => {
      const model = new ServerModel();
      for (const { what, who } of sequence) {
        if (what === 'read' || what === 'watch') model.send(who, what);
        else if (what === 'abandon') model.abandon(who);
        else if (what === 'remove') model.remove(who);
        else if (what === 'sendRemoval') model.sendRemoval();
        else if (what === 'serve') model.serve(true);
        else if (what === 'refuse') model.serve(false);
        else if (what === 'change') model.change();
        else await model.receive();
      }
      await model.settle();
      expect(model.watched).toBe(model.interests.size > 0);
      model.change();
      await model.settle();
      expect(model.interests.size).toBe(0);
    }),
    { numRuns: 3_000 },
  );
});

test('an abandoned read delays the removal of the watch until its reply, because it may set the watch again', () => {
  const removed: string[] = [];
  const table = new WatchTable((path) => {
    removed.push(path);
    return () => true;
  });
  const [first, second, third] = [(): void => {}, (): void => {}, (): void => {}];
  table.asked(PATH, 'data', first).answered(true);
  const abandoned = table.asked(PATH, 'data', second);
  abandoned.gaveUp(true);
  table.remove(PATH, 'data', first);
  const later = table.asked(PATH, 'data', third);
  abandoned.answered(true);
  expect(removed).toEqual([]);
  later.answered(true);
  table.remove(PATH, 'data', third);
  expect(removed).toEqual([PATH]);
});
