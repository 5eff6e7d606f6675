import type { JuteReader } from './jute-reader.js';
import { OP } from '../protocol/op-codes.js';
import { SESSION_PASSWORD_BYTES } from '../protocol/session-password.js';
import type { Stat } from '../protocol/stat.js';
import { WATCH_EVENTS, type WatchEventType } from '../protocol/watches.js';
import { ProtocolError } from './protocol-error.js';
import type { CreateMode, Created, WatchEvent } from './zookeeper-client.interface.js';

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

/** Names that no znode can have. */
const NO_NAME = /^\.{0,2}$|\//;

const EVENT_TYPES = new Map(
  Object.entries(WATCH_EVENTS).map(([name, code]) => [code as number, name as WatchEventType]),
);

/** Reads what follows the header of a successful reply; `zxid` is that of the header. */
export type PayloadReader<T> = (reader: JuteReader, zxid: bigint) => T;

/** A request as a step of a transaction: its type there, and how its result is read. */
export interface TransactionStep<T> {
  readonly type: number;
  readonly read: PayloadReader<T>;
  /** The node may be there already: nothing that gives a lock up may be refused together with it. */
  readonly mayBeTaken?: boolean;
}

export const readStat: PayloadReader<Stat> = (reader) => reader.stat();

export const readNode: PayloadReader<{ data: Buffer; stat: Stat }> = (reader) => ({
  data: reader.buffer(),
  stat: reader.stat(),
});

export const readEmpty: PayloadReader<undefined> = () => undefined;

/** `create2` and `createContainer` answer path and stat, the old `create` only a path. */
export function readCreated(asked: string, mode: CreateMode): PayloadReader<Created> {
  return (reader) => {
    const path = readCreatedPath(reader, asked, mode);
    return created(path, reader.stat().czxid);
  };
}

/** A step of a transaction answers only a path. The zxid of the reply is that of the transaction. */
export function createStep(asked: string, mode: CreateMode): TransactionStep<Created> {
  return {
    type: OP.CREATE,
    read: (reader, zxid) => created(readCreatedPath(reader, asked, mode), zxid),
    mayBeTaken: !isNumbered(mode),
  };
}

/** Another node than the one asked for would be taken for ours, and be held and deleted as ours. */
function readCreatedPath(reader: JuteReader, asked: string, mode: CreateMode): string {
  const appended = isNumbered(mode) ? /^-?\d+$/ : /^$/;
  const path = reader.string();
  if (path.startsWith(asked) && appended.test(path.slice(asked.length))) return path;
  throw new ProtocolError(`Asked to create ${asked}, the server created ${JSON.stringify(path)}`);
}

/** The server appends a number, so that no other node has this path. */
function isNumbered(mode: CreateMode): boolean {
  return mode.endsWith('-sequential');
}

function created(path: string, czxid: bigint): Created {
  if (czxid > 0n) return { path, czxid };
  throw new ProtocolError(`${path} was created by transaction ${czxid}`);
}

export function readConnectResponse(reader: JuteReader): ConnectResponse {
  reader.int(); // protocol version, always 0
  const response = { timeout: reader.int(), sessionId: reader.long(), password: reader.buffer() };
  // With another one no server would let us continue the session, and none would say so.
  if (response.timeout > 0 && response.password.length !== SESSION_PASSWORD_BYTES) {
    throw new ProtocolError(`A session has a password of ${response.password.length} bytes`);
  }
  return response;
}

export function readReplyHeader(reader: JuteReader): ReplyHeader {
  return { xid: reader.int(), zxid: reader.long(), err: reader.int() };
}

/** A step of a transaction that was refused. */
export interface RefusedStep {
  /** Counted from 0. */
  readonly index: number;
  readonly code: number;
}

export interface TransactionResult {
  readonly zxid: bigint;
  /** The first refusal; undefined if all steps were executed. */
  readonly refused: RefusedStep | undefined;
}

export const readTransaction: PayloadReader<TransactionResult> = (reader, zxid) => ({
  zxid,
  refused: readRefusedStep(reader),
});

/**
 * The first refusal among the results of a transaction; its header says 0 even if a step was refused. The steps before
 * that one, which were undone, are answered with error 0.
 */
function readRefusedStep(reader: JuteReader): RefusedStep | undefined {
  for (let index = 0; ; index += 1) {
    const type = readStepType(reader);
    if (type === undefined) return undefined;
    if (type === OP.ERROR) {
      const code = reader.int();
      if (code !== 0) return { index, code };
    } else if (type === OP.CREATE) {
      reader.string(); // the path
    } else if (type === OP.SET_DATA) {
      reader.stat();
    } else if (type !== OP.CHECK && type !== OP.DELETE) {
      throw new ProtocolError(`A step of a transaction was answered with type ${type}`);
    }
  }
}

/** The results of all steps, or undefined if the transaction was refused: then every step has an error, and no effect. */
export function readStepResults(
  steps: readonly TransactionStep<unknown>[],
  reader: JuteReader,
  zxid: bigint,
): readonly unknown[] | undefined {
  const results: unknown[] = [];
  for (const step of steps) {
    const type = readStepType(reader);
    if (type === OP.ERROR && results.length === 0) return undefined;
    if (type !== step.type) throw new ProtocolError(`A step of type ${step.type} was answered with ${type}`);
    results.push(step.read(reader, zxid));
  }
  const end = readStepType(reader);
  if (end !== undefined) throw new ProtocolError(`${steps.length} steps were answered with more`);
  return results;
}

/** Undefined at the end of the results. */
function readStepType(reader: JuteReader): number | undefined {
  const type = reader.int();
  const isEnd = reader.boolean();
  reader.int(); // the error once more
  return isEnd ? undefined : type;
}

export function readWatchEvent(reader: JuteReader): WatchEvent {
  const type = reader.int();
  reader.int(); // session state, of no use here
  const path = readPath(reader);
  const name = EVENT_TYPES.get(type);

  if (name === undefined) throw new ProtocolError(`A watch event has the unknown type ${type}`);
  return { type: name, path };
}

/** Strict, because a name that is missing or garbled may be a contender ahead of ours. */
export const readChildren: PayloadReader<readonly string[]> = (reader) => {
  const children = reader.strings();
  const stat = reader.stat();
  const names = new Set(children);
  if (names.size !== children.length || names.size !== stat.numChildren) {
    throw new ProtocolError(
      `A list has ${children.length} names, ${names.size} of them different, of ${stat.numChildren} children`,
    );
  }
  const bad = children.find((name) => NO_NAME.test(name));
  if (bad !== undefined) throw new ProtocolError(`A child has the name ${JSON.stringify(bad)}`);
  return children;
};

function readPath(reader: JuteReader): string {
  const path = reader.string();
  if (path.startsWith('/')) return path;
  throw new ProtocolError(`A reply has the path ${JSON.stringify(path)}, which does not begin with a slash`);
}
