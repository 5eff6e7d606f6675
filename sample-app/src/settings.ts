import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { env } = process;

/**
 * The environment of a process of the box office. Processes with the same `zookeeper` and the same `dataDirectory` are one
 * box office.
 */
export const settings = {
  /** The connect string; undefined for an embedded ZooKeeper. */
  zookeeper: env['ZOOKEEPER'],
  embeddedZooKeeper: { host: '127.0.0.1', port: Number(env['EMBEDDED_PORT'] ?? 2181) },
  host: env['HOST'] ?? '127.0.0.1',
  /** 0: any free port. */
  port: Number(env['PORT'] ?? 3000),
  /** The directory of the seat plans, the journals and the printer's log. */
  dataDirectory: env['BOX_OFFICE_DATA'] ?? join(tmpdir(), 'box-office'),
};
