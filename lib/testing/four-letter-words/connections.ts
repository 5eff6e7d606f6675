import type { Connection } from '../server/connection.js';
import { OP } from '../../zookeeper/protocol/op-codes.js';
import { hexadecimal } from './format.js';
import type { WordContext } from './word-context.js';

/** Four letters for each type of request. */
const SHORT_NAMES = new Map<number | undefined, string>([
  [OP.CREATE, 'CREA'],
  [OP.CREATE2, 'CREA'],
  [OP.CREATE_CONTAINER, 'CREA'],
  [OP.CREATE_TTL, 'CREA'],
  [OP.DELETE, 'DELE'],
  [OP.EXISTS, 'EXIS'],
  [OP.GET_DATA, 'GETD'],
  [OP.SET_DATA, 'SETD'],
  [OP.GET_ACL, 'GETA'],
  [OP.SET_ACL, 'SETA'],
  [OP.GET_CHILDREN, 'GETC'],
  [OP.GET_CHILDREN2, 'GETC'],
  [OP.SYNC, 'SYNC'],
  [OP.PING, 'PING'],
  [OP.CHECK, 'CHEC'],
  [OP.MULTI, 'MULT'],
  [OP.MULTI_READ, 'MLTR'],
  [OP.CHECK_WATCHES, 'CHKW'],
  [OP.REMOVE_WATCHES, 'REMW'],
  [OP.SET_WATCHES, 'SETW'],
  [OP.SET_WATCHES2, 'STW2'],
  [OP.ADD_WATCH, 'ADDW'],
  [OP.GET_EPHEMERALS, 'GETE'],
  [OP.GET_ALL_CHILDREN_NUMBER, 'GETACN'],
  [OP.WHO_AM_I, 'HOMI'],
  [OP.RECONFIG, 'RECO'],
]);

/** `cons`: full details of every connection. */
export function cons({ service }: WordContext): string {
  return `${[...service.connections].map((connection) => `${describe(connection)}\n`).join('')}\n`;
}

/** One line for a connection; the brief form leaves out its session. */
export function describe(connection: Connection, brief = false): string {
  const { remote, stats, session } = connection;
  const { received, sent } = stats.traffic;
  const details = brief || session === 0n ? '' : describeSession(connection);
  return ` /${remote}[${session === 0n ? 0 : 1}](queued=0,recved=${received},sent=${sent}${details})`;
}

function describeSession({ session, granted, stats }: Connection): string {
  const { min, average, max } = stats.traffic.latency;
  const fields = {
    sid: hexadecimal(session),
    lop: SHORT_NAMES.get(stats.type) ?? (stats.xid < 0 && !stats.wasReset ? 'SESS' : 'NA'),
    est: stats.established,
    to: granted?.timeout,
    ...(stats.xid >= 0 && { lcxid: hexadecimal(BigInt(stats.xid)) }),
    lzxid: hexadecimal(stats.zxid),
    lresp: stats.respondedAt,
    llat: stats.lastLatency,
    minlat: min,
    avglat: Math.floor(average),
    maxlat: max,
  };
  return Object.entries(fields)
    .map(([name, value]) => `,${name}=${value}`)
    .join('');
}
