import type { WatchEventType, WatcherType } from '../../zookeeper/protocol/watches.js';
import type { TreeEvent } from '../tree/change.js';
import type { DataTree } from '../tree/data-tree.js';
import { WatchTable, type WatchMode } from './watch-table.js';

/** Receives watch events. */
export interface Watcher {
  readonly session: bigint;
  notify(event: TreeEvent): void;
}

/** Watches that a client had on its last connection, and the last zxid that it saw there. */
export interface FormerWatches {
  readonly zxid: bigint;
  readonly data: readonly string[];
  readonly exists: readonly string[];
  readonly children: readonly string[];
  readonly persistent: readonly string[];
  readonly recursive: readonly string[];
}

/** All watches on a tree. */
export class TreeWatches {
  readonly data = new WatchTable<Watcher>();
  readonly children = new WatchTable<Watcher>();

  get size(): number {
    return this.data.size + this.children.size;
  }

  /** Sets a watch on data and children. */
  add(path: string, watcher: Watcher, mode: WatchMode): void {
    this.data.add(path, watcher, mode);
    this.children.add(path, watcher, mode);
  }

  dispatch(event: TreeEvent): void {
    const { type, path } = event;
    if (type === 'childrenChanged') return this.#notify(this.children.trigger(path, false), event);
    const told = this.data.trigger(path, true);
    this.#notify(told, event);
    if (type !== 'deleted') return;
    const alsoConcerned = this.children.trigger(path, true);
    for (const watcher of told) alsoConcerned.delete(watcher);
    this.#notify(alsoConcerned, event);
  }

  /** Restores the watches of an earlier connection. A watch that has missed an event fires at once instead. */
  restore(former: FormerWatches, watcher: Watcher, tree: DataTree): void {
    const restore = (path: string, table: WatchTable<Watcher>, missed: WatchEventType | undefined): void => {
      if (missed) watcher.notify({ type: missed, path });
      else table.add(path, watcher);
    };
    for (const path of former.data) {
      const node = tree.get(path);
      const changed = node && node.mzxid > former.zxid ? 'dataChanged' : undefined;
      restore(path, this.data, node ? changed : 'deleted');
    }
    for (const path of former.exists) restore(path, this.data, tree.get(path) ? 'created' : undefined);
    for (const path of former.children) {
      const node = tree.get(path);
      const changed = node && node.pzxid > former.zxid ? 'childrenChanged' : undefined;
      restore(path, this.children, node ? changed : 'deleted');
    }
    for (const path of former.persistent) this.add(path, watcher, 'persistent');
    for (const path of former.recursive) this.add(path, watcher, 'recursive');
  }

  has(path: string, kind: WatcherType): boolean {
    return this.#tables(kind).some((table) => table.isWatched(path));
  }

  remove(path: string, watcher: Watcher, kind: WatcherType): boolean {
    // `filter` and not `some`: every table must be visited.
    return this.#tables(kind).filter((table) => table.remove(path, watcher)).length > 0;
  }

  removeAll(watcher: Watcher): void {
    this.data.removeAll(watcher);
    this.children.removeAll(watcher);
  }

  #tables(kind: WatcherType): WatchTable<Watcher>[] {
    if (kind === 'any') return [this.children, this.data];
    return [kind === 'data' ? this.data : this.children];
  }

  #notify(watchers: ReadonlySet<Watcher>, event: TreeEvent): void {
    for (const watcher of watchers) watcher.notify(event);
  }
}
