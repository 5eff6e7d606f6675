import { OperationError } from '../tree/operation-error.js';
import type { Store } from '../transactions/store.js';
import { WATCHER_TYPES, type WatcherType } from '../../zookeeper/protocol/watches.js';
import type { WatchMode } from '../watches/watch-table.js';
import type { ReplyBody } from '../wire/replies.js';
import { MalformedRequestError, type RequestReader } from '../wire/request-reader.js';
import type { Client } from './client.js';

const MODES: readonly WatchMode[] = ['persistent', 'recursive'];
const TYPES = new Map(
  Object.entries(WATCHER_TYPES).map(([name, code]) => [code as number, name as WatcherType]),
);

/** Requests that set, check or remove watches. */
export class WatchHandlers {
  constructor(private readonly store: Store) {}

  add(reader: RequestReader, client: Client): ReplyBody {
    const path = reader.text();
    const mode = MODES[reader.int()];
    if (!mode) throw new MalformedRequestError('Unknown watch mode');
    this.store.watches.add(path, client, mode);
    return (writer) => writer.int(0);
  }

  /** `SET_WATCHES2` has two more lists. */
  set(reader: RequestReader, client: Client, lists: 3 | 5): undefined {
    const zxid = reader.long();
    const [data, exists, children] = [readPaths(reader), readPaths(reader), readPaths(reader)];
    const persistent = lists === 5 ? readPaths(reader) : [];
    const recursive = lists === 5 ? readPaths(reader) : [];
    const former = { zxid, data, exists, children, persistent, recursive };
    this.store.watches.restore(former, client, this.store.tree);
  }

  check(reader: RequestReader): undefined {
    const { path, kind } = readWatch(reader);
    if (path === null || /^[^/]+$/.test(path)) throw new MalformedRequestError('Not a path');
    if (!this.store.watches.has(path, kind)) throw new OperationError('NO_WATCHER');
  }

  remove(reader: RequestReader, client: Client): undefined {
    const { path, kind } = readWatch(reader);
    if (path === null || !this.store.watches.remove(path, client, kind))
      throw new OperationError('NO_WATCHER');
  }
}

function readWatch(reader: RequestReader): { path: string | null; kind: WatcherType } {
  const path = reader.string();
  const kind = TYPES.get(reader.int());
  if (!kind) throw new MalformedRequestError('Unknown watcher type');
  return { path, kind };
}

function readPaths(reader: RequestReader): string[] {
  const paths = reader.vector(() => reader.text());
  if (!paths) throw new MalformedRequestError('A list of paths is null');
  return paths;
}
