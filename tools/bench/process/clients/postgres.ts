import { Pool } from 'pg';
import type { ClientSettings, LockClient } from '../lock-client.interface.js';

/** Connections of one process. Waiters beyond this number wait for a connection. */
const CONNECTIONS = 64;

/** Each connection prepares a statement with a name once. */
const LOCK = { name: 'lock', text: 'SELECT pg_advisory_lock(hashtextextended($1, 0))' };
const UNLOCK = { name: 'unlock', text: 'SELECT pg_advisory_unlock(hashtextextended($1, 0))' };

/** Advisory locks of Postgres. Each hold and each wait occupies a connection. */
export async function openPostgres({ address, root }: ClientSettings): Promise<LockClient> {
  const pool = new Pool({ connectionString: address, max: CONNECTIONS, idleTimeoutMillis: 0 });
  await pool.query('SELECT 1');
  return {
    withLock: async (key, work) => {
      const connection = await pool.connect();
      const values = [`${root}/${key}`];
      try {
        await connection.query({ ...LOCK, values });
        await work();
        await connection.query({ ...UNLOCK, values });
      } finally {
        connection.release();
      }
    },
  };
}
