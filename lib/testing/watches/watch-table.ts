/** A watch fires once or many times; a recursive one covers all descendants of its path too. */
export type WatchMode = 'once' | 'persistent' | 'recursive';

/**
 * The watchers of each path, for one kind of event. A watcher has at most one watch on a path: a later one replaces
 * it, even if the modes differ.
 */
export class WatchTable<W> {
  readonly #watchers = new Map<string, Map<W, WatchMode>>();
  /** A watcher stays here after its last watch has fired, as in the counts of a real server. */
  readonly #paths = new Map<W, Set<string>>();
  #recursive = 0;

  get size(): number {
    let size = 0;
    for (const watchers of this.#watchers.values()) size += watchers.size;
    return size;
  }

  add(path: string, watcher: W, mode: WatchMode = 'once'): void {
    const watchers = this.#watchers.get(path) ?? new Map<W, WatchMode>();
    this.#watchers.set(path, watchers);
    this.#countRecursive(watchers.get(watcher), mode);
    watchers.set(watcher, mode);
    const paths = this.#paths.get(watcher) ?? new Set();
    this.#paths.set(watcher, paths);
    paths.add(path);
  }

  /** The watchers of an event at `path`; their one-time watches are removed. */
  trigger(path: string, reachesAbove: boolean): Set<W> {
    const concerned = new Set<W>();
    for (const [watcher, mode] of this.#watchers.get(path) ?? []) {
      if (mode === 'recursive' && !reachesAbove) continue;
      concerned.add(watcher);
      if (mode === 'once') this.remove(path, watcher);
    }
    if (reachesAbove && this.#recursive > 0) this.#addRecursiveAbove(path, concerned);
    return concerned;
  }

  remove(path: string, watcher: W): boolean {
    const watchers = this.#watchers.get(path);
    const mode = watchers?.get(watcher);
    if (!watchers || mode === undefined) return false;
    this.#countRecursive(mode, undefined);
    watchers.delete(watcher);
    if (watchers.size === 0) this.#watchers.delete(path);
    this.#paths.get(watcher)?.delete(path);
    return true;
  }

  removeAll(watcher: W): void {
    for (const path of this.#paths.get(watcher) ?? []) this.remove(path, watcher);
    this.#paths.delete(watcher);
  }

  /** Whether any client watches `path`; ZooKeeper 3.8 does not ask which. */
  isWatched(path: string): boolean {
    return this.#watchers.has(path);
  }

  byPath(): ReadonlyMap<string, ReadonlyMap<W, WatchMode>> {
    return this.#watchers;
  }

  byWatcher(): ReadonlyMap<W, ReadonlySet<string>> {
    return this.#paths;
  }

  #addRecursiveAbove(path: string, concerned: Set<W>): void {
    for (let above = parentOf(path); above !== undefined; above = parentOf(above)) {
      for (const [watcher, mode] of this.#watchers.get(above) ?? [])
        if (mode === 'recursive') concerned.add(watcher);
    }
  }

  #countRecursive(before: WatchMode | undefined, after: WatchMode | undefined): void {
    this.#recursive += Number(after === 'recursive') - Number(before === 'recursive');
  }
}

function parentOf(path: string): string | undefined {
  if (path === '/') return undefined;
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
