import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { assertOptionsObject } from '../locking/options-object.js';
import { describeValue } from '../locking/describe-value.js';
import { mustBe } from '../locking/option-checks.js';
import { validateOptions, withDefaults, type OptionTable } from '../locking/option-table.js';
import { StaleFencingTokenError } from '../locking/errors/stale-fencing-token.error.js';
import { assertFencedWrite, type FencedWrite } from './fenced-write.js';

/**
 * The part of a Postgres client that `acceptFencingToken` uses: clients and pools of `pg`, and TypeORM's `EntityManager`, have
 * it. The result is the rows, or an object with `rows`.
 *
 * @publicApi
 */
export interface FencingDatabase {
  /** Runs one statement, whose parameters are `$1`, `$2`. */
  query(text: string, values: string[]): Promise<readonly unknown[] | { readonly rows: readonly unknown[] }>;
}

/** Options of `acceptFencingToken`. @publicApi */
export interface AcceptFencingTokenOptions {
  /** The table of the tokens, with or without a schema. @default 'fencing_tokens' */
  readonly table?: string;
}

const IDENTIFIER = /^[a-z_][a-z0-9_]*(?:\.[a-z_][a-z0-9_]*)?$/i;

const OPTIONS = {
  table: {
    default: 'fencing_tokens',
    check: mustBe(
      "a name of letters, digits and _, with or without a schema, such as 'shop.fencing_tokens'",
      (value) => typeof value === 'string' && IDENTIFIER.test(value),
    ),
  },
} satisfies OptionTable<AcceptFencingTokenOptions>;

/**
 * Makes the token of a write the newest one of its resource in a table of Postgres, or throws if a later holder of the lock
 * has written. Call it in the transaction that writes: it locks the row of the resource until that transaction ends, so that
 * no other holder can write between this check and the commit. A holder may write several times.
 *
 * The table is `CREATE TABLE fencing_tokens (resource text PRIMARY KEY, token bigint NOT NULL)`.
 *
 * @param db the client of the transaction; a pool would give the row free again before the write
 * @param write a `HeldLock`, or the name of its lock and the token that arrived with the write
 * @throws StaleFencingTokenError if the write is too late; let the transaction roll back
 * @throws LockConfigurationError if the name, the token or the mode of the hold, or an option is invalid
 * @throws the error of the database
 * @publicApi
 * @example
 * await db.query('BEGIN');
 * await acceptFencingToken(db, held);
 * await db.query('UPDATE accounts SET balance = $1 WHERE id = $2', [balance, id]);
 * await db.query('COMMIT');
 */
export async function acceptFencingToken(
  db: FencingDatabase,
  write: FencedWrite,
  options: AcceptFencingTokenOptions = {},
): Promise<void> {
  assertFencedWrite(write);
  assertOptions(options);
  const { table } = withDefaults(OPTIONS, options);
  const { resource, fencingToken } = write;
  // Parameters are text: some clients would convert a value for a bigint column to a number, which loses digits.
  const accepted = await tokenFrom(
    db,
    `INSERT INTO ${table} AS newest (resource, token) VALUES ($1::text, $2::text::bigint)
     ON CONFLICT (resource) DO UPDATE SET token = EXCLUDED.token WHERE newest.token <= EXCLUDED.token
     RETURNING newest.token::text AS token`,
    [resource, String(fencingToken)],
  );
  if (accepted === String(fencingToken)) return;
  const select = `SELECT token::text AS token FROM ${table} WHERE resource = $1::text`;
  const newest = await tokenFrom(db, select, [resource]);
  throw new StaleFencingTokenError(write, newest === undefined ? {} : { newest: BigInt(newest) });
}

/** The token in the only row, if there is one. Whatever else a client may answer must not pass for that. */
async function tokenFrom(db: FencingDatabase, text: string, values: string[]): Promise<string | undefined> {
  const result: unknown = await db.query(text, values);
  const rows: unknown = isObject(result) && 'rows' in result ? result.rows : result;
  if (Array.isArray(rows)) {
    const [row]: readonly unknown[] = rows;
    if (row === undefined) return undefined;
    if (isObject(row) && 'token' in row && typeof row.token === 'string') return row.token;
  }
  throw new LockConfigurationError(
    '`query` must return the rows, or an object with `rows`, and each row is an object with its columns: ' +
      `got ${describeValue(result)} without a \`token\`. Some clients return rows and metadata together: pass on the rows alone`,
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function assertOptions(given: unknown): asserts given is AcceptFencingTokenOptions {
  assertOptionsObject(
    given,
    "acceptFencingToken takes an object of options such as { table: 'shop.fencing_tokens' }",
  );
  const problems = validateOptions('option', OPTIONS, given);
  if (problems.length > 0) throw new LockConfigurationError(problems);
}
