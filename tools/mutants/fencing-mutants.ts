import type { Mutant } from './mutant.js';

const SQL = ['test/fencing/sql.spec.ts'];
const ZNODE = ['test/fencing/znode.server.spec.ts'];

/** Resources that reject late writers. */
export const FENCING_MUTANTS: readonly Mutant[] = [
  {
    name: 'a table that accepts smaller tokens',
    undoes: 'a transaction with a smaller token than the newest one is rejected',
    file: 'lib/fencing/accept-fencing-token.ts',
    from: ' WHERE newest.token <= EXCLUDED.token',
    to: '',
    specs: SQL,
  },
  {
    name: 'one write for each grant',
    undoes: 'a holder may write several times',
    file: 'lib/fencing/accept-fencing-token.ts',
    from: 'newest.token <= EXCLUDED.token',
    to: 'newest.token < EXCLUDED.token',
    specs: SQL,
  },
  {
    name: 'tokens as numbers',
    undoes: 'a token keeps all its digits on the way to the database',
    file: 'lib/fencing/accept-fencing-token.ts',
    from: '[resource, String(fencingToken)]',
    to: '[resource, String(Number(fencingToken))]',
    specs: SQL,
  },
  {
    name: 'a fence raised whatever it contains now',
    undoes: 'the server rejects a transaction whose fence has been raised since it was read',
    file: 'lib/fencing/znode/fence-znode.ts',
    from: 'transaction.setData(path, data, found.version);',
    to: 'transaction.setData(path, data);',
    specs: ZNODE,
  },
  {
    name: 'an own fence not checked',
    undoes: 'the server rejects the second write of a holder whose fence has been raised since it was read',
    file: 'lib/fencing/znode/fence-znode.ts',
    from: 'transaction.check(path, found.version);',
    to: 'transaction.check(path, -1);',
    specs: ZNODE,
  },
  {
    name: 'a fence with version 0',
    undoes: 'no fence has version 0, which node-zookeeper-client cannot check',
    file: 'lib/fencing/znode/fence-znode.ts',
    from: 'transaction.setData(path, data);',
    to: 'transaction.check(path, -1);',
    specs: ZNODE,
  },
  {
    name: 'version 0 believed',
    undoes: 'a fence with version 0, which node-zookeeper-client cannot check, is refused',
    file: 'lib/fencing/znode/fence-znode.ts',
    from: 'if (stat.version === 0)',
    to: 'if (stat.version === -1)',
    specs: ZNODE,
  },
  {
    name: 'a guard that only counts',
    undoes: 'a guard rejects a request with a smaller token than the newest one',
    file: 'lib/fencing/http/fencing-token-store.ts',
    from: 'newest > fencingToken',
    to: 'newest < 0n',
    specs: ['test/e2e/fencing-guard.e2e.spec.ts'],
  },
  {
    name: 'readers fenced',
    undoes: 'holds of readers and of permits, whose tokens have no order, are refused',
    file: 'lib/fencing/fenced-write.ts',
    from: 'if (mode !== undefined && !excludesAll(mode))',
    to: 'if (mode === undefined)',
    specs: ['test/unit/fenced-write.spec.ts'],
  },
  {
    name: 'any answer of a database accepted',
    undoes: 'an answer without the token that was written does not accept the write',
    file: 'lib/fencing/accept-fencing-token.ts',
    from: "if (isObject(row) && 'token' in row && typeof row.token === 'string') return row.token;\n  }",
    to: "if (isObject(row) && 'token' in row && typeof row.token === 'string') return row.token;\n  }\n  if (Array.isArray(rows)) return values[1];",
    specs: ['test/fencing/sql.spec.ts'],
  },
];
