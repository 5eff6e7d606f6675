import type { Jute, JuteRecord } from './jute.interface.js';
import { OP } from '../protocol/op-codes.js';

interface SampleRequest {
  readonly name: string;
  readonly encode: (jute: Jute) => Buffer;
  /** As servers read it. */
  readonly frame: string;
}

/** One request of every record and operation that is used, with a path and data that are not ASCII. */
export const ENCODING_SAMPLES: readonly SampleRequest[] = [
  {
    name: 'create',
    encode: (jute) =>
      frameOf(jute, OP.CREATE2, new jute.protocol.CreateRequest('/ä', Buffer.from('b'), [openAcl(jute)], 3)),
    frame:
      '00000033000000010000000f000000032fc3a40000000162000000010000001f00000005776f726c6400000006616e79' +
      '6f6e6500000003',
  },
  {
    name: 'delete',
    encode: (jute) => frameOf(jute, OP.DELETE, new jute.protocol.DeleteRequest('/a', -1)),
    frame: '000000120000000100000002000000022f61ffffffff',
  },
  {
    name: 'setData',
    encode: (jute) => frameOf(jute, OP.SET_DATA, new jute.protocol.SetDataRequest('/a', Buffer.from('b'), 2)),
    frame: '000000170000000100000005000000022f61000000016200000002',
  },
  {
    name: 'exists',
    encode: (jute) => frameOf(jute, OP.EXISTS, new jute.protocol.ExistsRequest('/a', false)),
    frame: '0000000f0000000100000003000000022f6100',
  },
  {
    name: 'getData',
    encode: (jute) => frameOf(jute, OP.GET_DATA, new jute.protocol.GetDataRequest('/a', true)),
    frame: '0000000f0000000100000004000000022f6101',
  },
  {
    name: 'getChildren2',
    encode: (jute) => frameOf(jute, OP.GET_CHILDREN2, new jute.protocol.GetChildren2Request('/a', true)),
    frame: '0000000f000000010000000c000000022f6101',
  },
  {
    name: 'setWatches',
    encode: (jute) =>
      frameOf(jute, OP.SET_WATCHES, new jute.protocol.SetWatches(Buffer.alloc(8, 1), ['/a', '/ä'], [], [])),
    frame: '000000290000000100000065010101010101010100000002000000022f61000000032fc3a40000000000000000',
  },
  {
    name: 'multi',
    encode: (jute) =>
      frameOf(
        jute,
        OP.MULTI,
        new jute.TransactionRequest([
          { type: OP.CHECK, path: '/', version: -1 },
          { type: OP.CREATE, path: '/a', mode: 1, acls: [{ toRecord: () => openAcl(jute) }] },
          { type: OP.CREATE, path: '/b', data: Buffer.from('c'), mode: 0, acls: [] },
          { type: OP.SET_DATA, path: '/b', data: Buffer.from('d'), version: -1 },
          { type: OP.DELETE, path: '/b', version: -1 },
        ]),
      ),
    frame:
      '0000009c000000010000000e0000000d00ffffffff000000012fffffffff0000000100ffffffff000000022f61ffffff' +
      'ff000000010000001f00000005776f726c6400000006616e796f6e65000000010000000100ffffffff000000022f6200' +
      '0000016300000000000000000000000500ffffffff000000022f620000000164ffffffff0000000200ffffffff000000' +
      '022f62ffffffffffffffff01ffffffff',
  },
  {
    name: 'auth',
    encode: (jute) => frameOf(jute, OP.AUTH, new jute.protocol.AuthPacket(0, 'digest', Buffer.from('a:b'))),
    frame: '0000001d0000000100000064000000000000000664696765737400000003613a62',
  },
  {
    name: 'closeSession',
    encode: (jute) => frameOf(jute, OP.CLOSE_SESSION, null),
    frame: '0000000800000001fffffff5',
  },
];

function frameOf({ Request, protocol }: Jute, type: number, payload: JuteRecord | null): Buffer {
  return new Request(new protocol.RequestHeader(1, type), payload).toBuffer();
}

/** All permissions for all clients. */
function openAcl({ data }: Jute): JuteRecord {
  return new data.ACL(31, new data.Id('world', 'anyone'));
}
