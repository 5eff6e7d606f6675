import { expect, test, vi } from 'vitest';
import { EmbeddedZooKeeper } from '../../lib/testing/index.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { answersHttp } from '../support/answers-http.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { DocumentProgram, isProgram } from './document-program.js';
import { Document, type CodeBlock } from './document.js';

const SERVER = "'localhost:2181'";
const CROWD = 6;
/** Timeout for a start of Nest, which loads several hundred files. */
const START_PATIENCE_MS = 60_000;
const TEST_PATIENCE_MS = 180_000;

/** How long the program takes for two payments of one order. */
const TWO_PAYMENTS_MS = 6_000;

const programs = Document.readAll().flatMap((document) => document.blocks('ts').filter(isProgram));

vi.setConfig({ testTimeout: TEST_PATIENCE_MS });

test('this file runs every program of the documentation', () => {
  expect(programs.map(({ file }) => file)).toEqual(['README.md', 'docs/getting-started.md']);
});

test('the application of the README pays one order at a time, and answers 423 after `wait`', async () => {
  const zookeeper = await startZooKeeper();
  const port = await freePort();
  const app = DocumentProgram.start(programOf('README.md'), {
    [SERVER]: `'${zookeeper.connectString}'`,
    'process.env.PORT ?? 3000': `${port}, '127.0.0.1'`,
  });
  const curls = curlsOf(Document.read('README.md'), port);
  expect(curls).toHaveLength(2);
  await eventually(() => answersHttp(port), { describe: 'the application', timeoutMs: START_PATIENCE_MS });

  const paid = await Promise.all(curls.map(send));
  expect(paid.map(({ status, body }) => [status, body])).toEqual([
    [201, 'Order 7 is paid'],
    [201, 'Order 7 is paid'],
  ]);
  expect(Math.max(...paid.map(({ elapsedMs }) => elapsedMs))).toBeGreaterThan(TWO_PAYMENTS_MS - 50);

  // With so many requests, the last ones cannot get the lock within `wait`, however slowly they arrive.
  const crowd = await Promise.all(Array.from({ length: CROWD }, () => send(curls[0]!)));
  const refused = crowd.filter(({ status }) => status !== 201);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, retryAfter, body } of refused) {
    expect([status, retryAfter, JSON.parse(body)]).toMatchObject([423, '1', { code: 'LOCK_TIMEOUT' }]);
  }

  expect(await app.terminate()).toEqual([null, 'SIGTERM']);
  expect(zookeeper.sessions).toEqual([]);
});

test('the program without Nest holds its lock, closes and exits', async () => {
  const zookeeper = await startZooKeeper();
  const program = DocumentProgram.start(programOf('docs/getting-started.md'), {
    [SERVER]: `'${zookeeper.connectString}'`,
  });

  expect(await program.ended()).toEqual([0, null]);
  expect(program.output).toMatch(/^Holding the lock, with fencing token \d+$/m);
  expect(zookeeper.sessions).toEqual([]);
});

function programOf(file: string): CodeBlock {
  const program = programs.find((block) => block.file === file);
  if (program === undefined) throw new Error(`${file} has no program`);
  return program;
}

async function startZooKeeper(): Promise<EmbeddedZooKeeper> {
  return endedWithTest(await EmbeddedZooKeeper.start({ onNotice: false }));
}

interface Curl {
  readonly method: string;
  readonly url: string;
}

/** The curl commands of a page, changed to another port. */
function curlsOf(document: Document, port: number): Curl[] {
  return document
    .blocks('sh')
    .flatMap(({ text }) => [...text.matchAll(/^curl (?:-X (\w+) )?(?:-w '[^']*' )?localhost:3000(\S*)/gm)])
    .map(([, method, path]) => ({ method: method ?? 'GET', url: `http://127.0.0.1:${port}${path!}` }));
}

async function send({ method, url }: Curl) {
  const sent = performance.now();
  const response = await fetch(url, { method });
  const body = await response.text();
  const retryAfter = response.headers.get('retry-after');
  return { status: response.status, retryAfter, body, elapsedMs: performance.now() - sent };
}
