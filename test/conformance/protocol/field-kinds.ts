import type { JuteReader, JuteWriter } from '../../support/jute.js';
import { eventName } from '../../support/zookeeper-operations.js';
import type { Names } from './names.js';

/** Values of the fields of requests; ACL entries as `31:world:anyone`. */
export type Value = string | number | bigint | boolean | null | readonly string[];

/** A type of field: how it is written and read, and its format in a transcript. */
interface FieldKind {
  write(writer: JuteWriter, value: Value, names: Names): void;
  show(value: Value, names: Names): string;
  read(reader: JuteReader, names: Names): string;
}

const LONGEST_SHOWN = 120;

const int: FieldKind = {
  write: (writer, value) => void writer.int(Number(value)),
  show: String,
  read: (reader) => String(reader.int()),
};

const bool: FieldKind = {
  write: (writer, value) => void writer.bool(Boolean(value)),
  show: String,
  read: (reader) => String(readBool(reader)),
};

const long: FieldKind = {
  write: (writer, value) => void writer.long(BigInt(value as number | bigint)),
  show: String,
  read: (reader) => String(reader.long()),
};

const zxid: FieldKind = {
  ...long,
  show: (value, names) => names.zxid(value as bigint),
  read: (reader, names) => names.zxid(reader.long()),
};

const time: FieldKind = { ...long, read: (reader, names) => names.time(reader.long()) };
const owner: FieldKind = { ...long, read: (reader, names) => names.owner(reader.long()) };
const event: FieldKind = { ...int, read: (reader) => eventName(reader.int()) };

const text: FieldKind = {
  write: (writer, value) => writeText(writer, value as string | null),
  show: (value) => shortened(value as string | null),
  read: (reader) => shortened(readText(reader)),
};

const path: FieldKind = {
  write: (writer, value, names) => writeText(writer, value === null ? null : names.full(value as string)),
  show: (value) => shortened(value as string | null),
  read: (reader, names) => shownPath(readText(reader), names),
};

const paths: FieldKind = {
  write: (writer, value, names) => writeList(writer, value, (item) => path.write(writer, item, names)),
  show: (value) => JSON.stringify(value),
  read: (reader, names) => String(readList(reader, () => path.read(reader, names))),
};

/** The server keeps children and ephemeral nodes in hash sets, so their order is undefined. */
const set: FieldKind = {
  ...paths,
  read: (reader, names) => sorted(readList(reader, () => path.read(reader, names))),
};

const acl: FieldKind = {
  write: (writer, value) => writeList(writer, value, (rule) => writeRule(writer, rule)),
  show: (value) => (value === null ? 'null' : `[${String(value)}]`),
  read: (reader) => bracketed(readList(reader, () => readRule(reader))),
};

const identities: FieldKind = {
  ...text,
  read: (reader) => bracketed(readList(reader, () => `${readText(reader)}:${readText(reader)}`)),
};

const STAT_FIELDS = [
  ['czxid', zxid],
  ['mzxid', zxid],
  ['ctime', time],
  ['mtime', time],
  ['version', int],
  ['cversion', int],
  ['aversion', int],
  ['owner', owner],
  ['length', int],
  ['children', int],
  ['pzxid', zxid],
] as const;

const stat: FieldKind = {
  ...text,
  read: (reader, names) =>
    `{${STAT_FIELDS.map(([name, kind]) => `${name}:${kind.read(reader, names)}`).join(' ')}}`,
};

export const FIELD_KINDS = {
  int,
  bool,
  long,
  zxid,
  event,
  text,
  path,
  paths,
  set,
  acl,
  identities,
  stat,
} as const;

export type FieldKindName = keyof typeof FIELD_KINDS;

/** Java's clients send a single byte; only 1 is true. */
export function readBool(reader: JuteReader): boolean {
  return reader.byte() === 1;
}

function writeText(writer: JuteWriter, value: string | null): void {
  if (value === null) writer.int(-1);
  else writer.string(value);
}

function readText(reader: JuteReader): string | null {
  return reader.bufferOrNull()?.toString('utf8') ?? null;
}

function shownPath(path: string | null, names: Names): string {
  return path === null ? 'null' : shortened(names.path(path));
}

function shortened(value: string | null): string {
  if (value === null || value.length <= LONGEST_SHOWN) return JSON.stringify(value);
  return `${JSON.stringify(value.slice(0, LONGEST_SHOWN))}...(${value.length})`;
}

function writeList(writer: JuteWriter, value: Value, write: (item: string) => void): void {
  if (value === null) return void writer.int(-1);
  const items = value as readonly string[];
  writer.int(items.length);
  items.forEach(write);
}

function readList(reader: JuteReader, read: () => string): string[] | null {
  const length = reader.int();
  return length < 0 ? null : Array.from({ length }, read);
}

function bracketed(items: string[] | null): string {
  return items === null ? 'null' : `[${items.join(' ')}]`;
}

function sorted(items: string[] | null): string {
  return bracketed(items);
}

function writeRule(writer: JuteWriter, rule: string): void {
  const [permissions = '', scheme = '', ...id] = rule.split(':');
  writer.int(Number(permissions));
  writeText(writer, scheme);
  writeText(writer, id.join(':'));
}

function readRule(reader: JuteReader): string {
  return `${reader.int()}:${readText(reader)}:${readText(reader)}`;
}
