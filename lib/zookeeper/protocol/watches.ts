/** Events that a server sends to the watchers of a node, by their numbers in the protocol. */
export const WATCH_EVENTS = { created: 1, deleted: 2, dataChanged: 3, childrenChanged: 4 } as const;

export type WatchEventType = keyof typeof WATCH_EVENTS;

/** Types of watches in requests that check or remove one (ZooKeeper's `WatcherType`). */
export const WATCHER_TYPES = { children: 1, data: 2, any: 3 } as const;

export type WatcherType = keyof typeof WATCHER_TYPES;
