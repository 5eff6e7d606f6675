import { Pool } from 'pg';
import type { ClientSettings, LockClient } from '../lock-client.interface.js';

/** Connections of one process. Waiters beyond this number wait for a connection. */
const CONNECTIONS = 64;

/** Advisory locks of Postgres. Each hold and each wait occupies a connection. */
export async function openPostgres({ address, root }: ClientSettings): Promise<LockClient> {
  const pool = new Pool({ connectionString: address, max: CONNECTIONS, idleTimeoutMillis: 0 });
  await pool.query('SELECT 1');
  return {
    withLock: async (key, work) => {
      const connection = await pool.connect();
      const name = [`${root}/${key}`];
      try {
        await connection.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', name);
        await work();
        await connection.query('SELECT pg_advisory_unlock(hashtextextended($1, 0))', name);
      } finally {
        connection.release();
      }
    },
  };
}
