import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { env } = process;

/** What a process of the box office is told by its environment. Those that share the first and the last are one box office. */
export const settings = {
  /** Where the locks are; undefined for an embedded ZooKeeper. */
  zookeeper: env['ZOOKEEPER'],
  embeddedZooKeeper: { host: '127.0.0.1', port: 2181 },
  host: env['HOST'] ?? '127.0.0.1',
  /** 0 = any free one. */
  port: Number(env['PORT'] ?? 3000),
  /** Where the seats are. */
  dataDirectory: env['BOX_OFFICE_DATA'] ?? join(tmpdir(), 'box-office'),
};
