import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Injectable } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { EmptyError } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { LockLostError, LockUnavailableError, Locked } from '../../lib/index.js';
import { LOCK_DEFAULTS, resolveLockOptions } from '../../lib/locking/lock-options.js';
import { ZooKeeperError } from '../../lib/zookeeper/client/zookeeper-error.js';
import { Document } from './document.js';

const page = Document.read('docs/troubleshooting.md');
const DEFAULTS = { ...LOCK_DEFAULTS, owner: 'me', hasStableOwner: false };
/** Quotes that are not literal texts of the library: messages of Nest, and messages with gaps. */
const NOT_LITERAL = /^the argument LockService|\.\.\./;
const NO_CONNECTION = 'there was no connection to ZooKeeper for 10000 ms';
/** Messages that are composed at run time or come from other packages. */
const THROWN: Record<string, () => unknown> = {
  "Nest can't resolve": () => Test.createTestingModule({ providers: [S] }).compile(),
  'EmptyError:': () => Promise.reject(new EmptyError()),
  "Lock '...' was lost (session)": () => Promise.reject(new LockLostError('...', 'session')),
  "Lock '...' was lost (ttl)": () => Promise.reject(new LockLostError('...', 'ttl')),
  "Lock '...' was lost (deleted)": () => Promise.reject(new LockLostError('...', 'deleted')),
  'must be a whole number': async () => resolveLockOptions(Infinity, DEFAULTS),
  'Locks are unavailable': () => Promise.reject(new LockUnavailableError(undefined, NO_CONNECTION)),
  'NO_AUTH:': () => Promise.reject(ZooKeeperError.fromReply(-102)),
  'TypeError: Do not know': async () => JSON.stringify(1n),
};

@Injectable()
class S {
  @Locked('x')
  async report(): Promise<void> {}
}

const source = plainSource();

describe('the headings quote messages literally', () => {
  test.for(page.headings(2).filter((heading) => !heading.startsWith('TS1241')))('%s', async (heading) => {
    const thrown = Object.keys(THROWN).find((start) => heading.startsWith(start));
    if (thrown !== undefined) {
      const error: unknown = await Promise.resolve(THROWN[thrown]!()).catch((reason: unknown) => reason);
      expect(String(error)).toContain(heading);
      return;
    }
    const pieces = heading.split(/'\.\.\.'|`|\d+|: /).filter((piece) => piece.trim().length > 3);
    expect(pieces.filter((piece) => !source.includes(piece.trim()))).toEqual([]);
  });
});

test('the sections quote messages literally', () => {
  const quoted = page.quotes().filter((text) => text.split(' ').length > 3 && !NOT_LITERAL.test(text));
  expect(quoted.length).toBeGreaterThan(0);
  expect(quoted.filter((text) => !source.includes(text))).toEqual([]);
});

/** The library's source with strings joined across lines and without backticks. */
function plainSource(): string {
  const lib = fileURLToPath(new URL('../../lib', import.meta.url));
  return readdirSync(lib, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(join(lib, file), 'utf8'))
    .join('\n')
    .replace(/['"`] \+\s+['"`]/g, '')
    .replaceAll('${storeName}', 'ZooKeeper')
    .replace(/\\?`/g, '');
}
