import type { Withdraw } from './pending-request.js';
import type { WatchEvent, WatchKind, WatchListener } from './zookeeper-client.interface.js';

/** One request for a watch, from the call on. */
export interface WatchRequest {
  /** The server has notified since that the node is deleted. */
  readonly wasDeleted: boolean;
  /** The reply has come (or never will): `set` says whether the server keeps a watch for it. */
  answered(set: boolean): void;
  /** The caller waits no longer. The reply to a request that was sent is still to come. */
  gaveUp(wasSent: boolean): void;
}

/** What one listener has at stake on a path. */
interface Interest {
  unanswered: number;
  set: boolean;
}

/** What the server may hold for a path on this connection: at most one watch per kind, however many listeners. */
interface Entry {
  readonly interests: Map<WatchListener, Interest>;
  /** Requests for a watch whose reply is still to come. */
  unanswered: number;
  /** Deletions of the node so far. */
  deletions: number;
  /** The server may have a watch, as far as its replies and notifications tell. */
  set: boolean;
}

/**
 * The watches of one connection: who wants to know of what, and what the server holds for it.
 *
 * A listener's interest begins with the call, not with the reply, because the notification may be on its way together with
 * the reply (H28). A listener is called once, and its interest ends then or when its request fails.
 * Without interests and requests under way, the server's watch is removed (H15). A removal that has not been sent when
 * somebody is interested again is withdrawn: requests of different lanes do not leave in the order of the calls, so it could
 * come after the new watch.
 */
export class WatchTable {
  readonly #entries: Record<WatchKind, Map<string, Entry>> = { data: new Map(), children: new Map() };
  /** Of watches without an entry. */
  readonly #removals: Record<WatchKind, Map<string, Withdraw>> = { data: new Map(), children: new Map() };

  /** @param takeDown sends a request to remove the server's watch, and calls `done` when that has ended */
  constructor(private readonly takeDown: (path: string, kind: WatchKind, done: () => void) => Withdraw) {}

  /** A request for the watch is made: from now on, its notification may come. */
  asked(path: string, kind: WatchKind, listener: WatchListener): WatchRequest {
    const entry = this.#entry(path, kind);
    const interest = entry.interests.get(listener) ?? { unanswered: 0, set: false };
    entry.interests.set(listener, interest);
    entry.unanswered += 1;
    interest.unanswered += 1;

    const { deletions } = entry;
    let waiting = true;
    const release = (set: boolean): void => {
      if (!waiting) return;
      waiting = false;
      interest.unanswered -= 1;
      interest.set ||= set;
      // Another request of the same listener may still stand for the interest.
      if (interest.set || interest.unanswered > 0) return;
      if (entry.interests.get(listener) === interest) entry.interests.delete(listener);
    };
    const answered = (set: boolean): void => {
      release(set);
      entry.unanswered -= 1;
      entry.set ||= set;
      this.#settle(path, kind, entry);
    };
    return {
      get wasDeleted() {
        return entry.deletions > deletions;
      },
      answered,
      gaveUp: (wasSent) => (wasSent ? release : answered)(false),
    };
  }

  remove(path: string, kind: WatchKind, listener: WatchListener): void {
    const entry = this.#entries[kind].get(path);
    if (entry?.interests.delete(listener)) this.#settle(path, kind, entry);
  }

  /** As `remove`, but the server's watch stays, and its notification is ignored. */
  forget(path: string, kind: WatchKind, listener: WatchListener): void {
    const entry = this.#entries[kind].get(path);
    if (entry?.interests.delete(listener) !== true) return;
    if (entry.unanswered === 0 && entry.interests.size === 0) this.#entries[kind].delete(path);
  }

  /** The server tells a deleted node once, and drops both of its watches. */
  notify(event: WatchEvent): void {
    if (event.type !== 'childrenChanged') this.#fire(event, 'data');
    if (event.type === 'childrenChanged' || event.type === 'deleted') this.#fire(event, 'children');
  }

  /** The connection has ended, and every watch with it. */
  disconnect(): void {
    for (const kind of ['data', 'children'] as const) {
      for (const path of this.#entries[kind].keys()) this.#fire({ type: 'disconnected', path }, kind);
      this.#entries[kind].clear();
      this.#removals[kind].clear();
    }
  }

  #fire(event: WatchEvent, kind: WatchKind): void {
    const entry = this.#entries[kind].get(event.path);
    if (entry === undefined) {
      this.#withdrawRemoval(event.path, kind);
      return;
    }

    const listeners = [...entry.interests.keys()];
    entry.interests.clear();
    if (event.type === 'deleted') entry.deletions += 1;
    entry.set = false;
    this.#settle(event.path, kind, entry);
    for (const listener of listeners) queueMicrotask(() => listener(event));
  }

  #settle(path: string, kind: WatchKind, entry: Entry): void {
    if (entry.unanswered > 0 || entry.interests.size > 0) return;
    this.#entries[kind].delete(path);
    if (!entry.set) return;
    const removals = this.#removals[kind];
    const withdraw = this.takeDown(path, kind, () => {
      if (removals.get(path) === withdraw) removals.delete(path);
    });
    removals.set(path, withdraw);
  }

  /** @returns true if the server keeps the watch, because its removal had not been sent */
  #withdrawRemoval(path: string, kind: WatchKind): boolean {
    const withdraw = this.#removals[kind].get(path);
    this.#removals[kind].delete(path);
    return withdraw?.() === false;
  }

  #entry(path: string, kind: WatchKind): Entry {
    const known = this.#entries[kind].get(path);
    if (known !== undefined) return known;
    const set = this.#withdrawRemoval(path, kind);
    const entry = { interests: new Map<WatchListener, Interest>(), unanswered: 0, deletions: 0, set };
    this.#entries[kind].set(path, entry);
    return entry;
  }
}
