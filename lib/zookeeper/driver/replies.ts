import type { JuteReader } from './jute-reader.js';
import { OP } from './op-codes.js';
import type { ReplyPayload } from './package-internals.js';
import { ProtocolError } from './protocol-error.js';
import type { Created, WatchEvent } from './zookeeper-driver.interface.js';

export interface ConnectResponse {
  /** Negotiated, ms; 0 or less if the session is refused. */
  readonly timeout: number;
  readonly sessionId: bigint;
  readonly password: Buffer;
}

export interface ReplyHeader {
  readonly xid: number;
  readonly zxid: bigint;
  readonly err: number;
}

const MULTI_ERROR = -1;

const EVENT_TYPES = new Map<number, WatchEvent['type']>([
  [1, 'created'],
  [2, 'deleted'],
  [3, 'dataChanged'],
  [4, 'childrenChanged'],
]);

/** Reads what follows the header of a successful reply. */
export type PayloadReader<T> = (reader: JuteReader) => T;

/** The replies of the requests that the package's `Client` makes; those to the others have no payload. */
const PAYLOADS = new Map<number, PayloadReader<ReplyPayload>>([
  [OP.EXISTS, (reader) => ({ stat: reader.stat() })],
  [OP.SET_DATA, (reader) => ({ stat: reader.stat() })],
  [OP.GET_DATA, (reader) => ({ data: reader.buffer(), stat: reader.stat() })],
  [OP.GET_CHILDREN2, (reader) => ({ children: reader.strings(), stat: reader.stat() })],
]);

export function readPayload(type: number): PayloadReader<ReplyPayload> | undefined {
  return PAYLOADS.get(type);
}

export const readEmpty: PayloadReader<undefined> = () => undefined;

/** `create2` and `createContainer` answer this, the old `create` only a path. */
export const readCreated: PayloadReader<Created> = (reader) => ({
  path: readPath(reader),
  stat: reader.stat(),
});

export function readConnectResponse(reader: JuteReader): ConnectResponse {
  reader.int(); // protocol version, always 0
  return { timeout: reader.int(), sessionId: reader.long(), password: reader.buffer() };
}

export function readReplyHeader(reader: JuteReader): ReplyHeader {
  return { xid: reader.int(), zxid: reader.long(), err: reader.int() };
}

/** The first error among the results of a transaction; its header says 0 even if an operation failed. */
export function readFirstError(reader: JuteReader): number {
  for (;;) {
    const type = reader.int();
    const done = reader.boolean();
    reader.int(); // the error once more

    if (done) return 0;
    if (type === MULTI_ERROR) return reader.int();
    if (type !== OP.CHECK) throw new ProtocolError(`A transaction of checks was answered with type ${type}`);
  }
}

export function readWatchEvent(reader: JuteReader): WatchEvent {
  const type = reader.int();
  reader.int(); // session state, of no use here
  const path = readPath(reader);
  const name = EVENT_TYPES.get(type);

  if (name === undefined) throw new ProtocolError(`A watch event has the unknown type ${type}`);
  return { type: name, path };
}

function readPath(reader: JuteReader): string {
  const path = reader.string();
  if (path.startsWith('/')) return path;
  throw new ProtocolError(`A reply has the path ${JSON.stringify(path)}, which does not begin with a slash`);
}
