import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.js';
import { RawSession } from '../support/raw-session.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { ScriptedServer } from './scripted-server.js';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = fileURLToPath(new URL('./exit-program.ts', import.meta.url));
// Below the repository, so that the package the driver is made of is found.
const BUILD = join(ROOT, 'build', `process-exit-${process.pid}`);

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  const driver = join(ROOT, 'lib/zookeeper/driver');
  const sources = (await readdir(driver)).map((name) => join(driver, name));
  const helpers = ['zookeeper/connect-string.ts', 'zookeeper/path-characters.ts', 'locking/clock.ts'];
  sources.push(...helpers.map((name) => join(ROOT, 'lib', name)), PROGRAM);
  await Promise.all(sources.map(transpile));
});
afterAll(async () => {
  await rm(BUILD, { recursive: true, force: true });
  await server.stop();
});

const builtFrom = (source: string): string => join(BUILD, relative(ROOT, source).replace(/\.ts$/, '.js'));

async function transpile(source: string): Promise<void> {
  const { outputText } = ts.transpileModule(await readFile(source, 'utf8'), {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
  });
  await mkdir(dirname(builtFrom(source)), { recursive: true });
  await writeFile(builtFrom(source), outputText);
}

/** Rejects if the process fails, says anything on stderr, or has not ended by itself after a minute. */
async function runToItsEnd(connectString: string, scenario: string): Promise<void> {
  const options = { timeout: 60_000 };
  const { stdout, stderr } = await run(
    process.execPath,
    [builtFrom(PROGRAM), connectString, scenario],
    options,
  );
  expect({ stdout, stderr }).toEqual({ stdout: 'closed', stderr: '' });
}

test('after close with pending creates the process ends, and nothing is left on the server', async () => {
  await runToItsEnd(server.connectString, 'pendingCreates');
  await using raw = await RawSession.connect(server);
  expect(await raw.getChildren('/')).toEqual(['zookeeper']);
});

test('after close in the tick of connect the process ends', () =>
  runToItsEnd(server.connectString, 'sameTick'));

test('without ever connecting the process ends', () => runToItsEnd(server.connectString, 'never'));

test('after close while every server refuses the process ends', async () => {
  await runToItsEnd(`127.0.0.1:${await freePort()}`, 'refused');
});

test('a mute server keeps the process alive until close, and no longer', async () => {
  await using scripted = await ScriptedServer.start({ connect: () => {} });
  await runToItsEnd(scripted.connectString, 'mute');
});
