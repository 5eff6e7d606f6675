import type { JuteReader, JuteWriter } from '../../support/jute.js';
import { FIELD_KINDS, type FieldKindName, type Value } from './field-kinds.js';
import type { Names } from './names.js';

/** A record as in `zookeeper.jute`: names and types of its fields in order. */
export interface Layout {
  write(writer: JuteWriter, values: Readonly<Record<string, Value>>, names: Names): void;
  show(values: Readonly<Record<string, Value>>, names: Names): string;
  read(reader: JuteReader, names: Names): string;
}

function layout(fields: string): Layout {
  const list = fields.split(' ').filter(Boolean).map(parse);
  return {
    // A missing field is not sent, so the record ends early, unlike that of a correct client.
    write: (writer, values, names) =>
      given(list, values).forEach(([name, kind]) => kind.write(writer, values[name]!, names)),
    show: (values, names) =>
      given(list, values)
        .map(([name, kind]) => `${name}=${kind.show(values[name]!, names)}`)
        .join(' '),
    read: (reader, names) => list.map(([name, kind]) => `${name}=${kind.read(reader, names)}`).join(' '),
  };
}

function parse(field: string) {
  const [name = '', kind = ''] = field.split(':');
  return [name, FIELD_KINDS[kind as FieldKindName]] as const;
}

function given(list: readonly ReturnType<typeof parse>[], values: Readonly<Record<string, Value>>) {
  return list.filter(([name]) => values[name] !== undefined);
}

const NOTHING = layout('');
const STAT = layout('stat:stat');
const READ = layout('path:path watch:bool');
const VERSION = layout('path:path version:int');
const CREATE = layout('path:path data:text acl:acl flags:int');
const CREATED = layout('path:path stat:stat');
const PATH = layout('path:path');
const WATCH_TYPE = layout('path:path type:int');

/** The bodies of requests and replies, without those of several operations in one request. */
export const LAYOUTS: Readonly<Record<string, { readonly request: Layout; readonly reply: Layout }>> = {
  create: { request: CREATE, reply: PATH },
  create2: { request: CREATE, reply: CREATED },
  createContainer: { request: CREATE, reply: CREATED },
  createTTL: { request: layout('path:path data:text acl:acl flags:int ttl:long'), reply: CREATED },
  delete: { request: VERSION, reply: NOTHING },
  deleteContainer: { request: PATH, reply: NOTHING },
  exists: { request: READ, reply: STAT },
  getData: { request: READ, reply: layout('data:text stat:stat') },
  setData: { request: layout('path:path data:text version:int'), reply: STAT },
  getACL: { request: PATH, reply: layout('acl:acl stat:stat') },
  setACL: { request: layout('path:path acl:acl version:int'), reply: STAT },
  getChildren: { request: READ, reply: layout('children:set') },
  getChildren2: { request: READ, reply: layout('children:set stat:stat') },
  getAllChildrenNumber: { request: PATH, reply: layout('total:int') },
  getEphemerals: { request: PATH, reply: layout('ephemerals:set') },
  sync: { request: PATH, reply: PATH },
  check: { request: VERSION, reply: STAT },
  ping: { request: NOTHING, reply: NOTHING },
  auth: { request: layout('type:int scheme:text auth:text'), reply: NOTHING },
  sasl: { request: layout('token:text'), reply: layout('token:text') },
  reconfig: {
    request: layout('joining:text leaving:text members:text from:long'),
    reply: layout('data:text stat:stat'),
  },
  setWatches: { request: layout('from:zxid data:paths exist:paths child:paths'), reply: NOTHING },
  setWatches2: {
    request: layout('from:zxid data:paths exist:paths child:paths persistent:paths recursive:paths'),
    reply: NOTHING,
  },
  addWatch: { request: layout('path:path mode:int'), reply: layout('error:int') },
  checkWatches: { request: WATCH_TYPE, reply: NOTHING },
  removeWatches: { request: WATCH_TYPE, reply: NOTHING },
  whoAmI: { request: NOTHING, reply: layout('identities:identities') },
  closeSession: { request: NOTHING, reply: NOTHING },
};

export const NOTIFICATION = layout('event:event state:int path:path');

/** The results of several operations in one reply that differ from the reply to one operation. */
export const RESULTS: Readonly<Record<string, Layout>> = {
  check: NOTHING,
  error: layout('error:int'),
};
