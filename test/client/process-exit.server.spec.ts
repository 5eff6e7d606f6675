import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtProgram } from '../support/built-program.js';
import { DEAD_PORT } from '../support/free-port.js';
import { RawSession } from '../support/raw-session.js';
import { startTestServer, type TestServer } from '../support/test-server.js';
import { ScriptedServer } from './scripted-server.js';

const run = promisify(execFile);
const PROGRAM = builtProgram('test/processes/client-process');

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(async () => server.giveBack());

/** Rejects if the process fails, writes to stderr, or has not exited after a minute. */
async function runToItsEnd(connectString: string, scenario: string): Promise<void> {
  const options = { timeout: 60_000 };
  const { stdout, stderr } = await run(process.execPath, [PROGRAM, connectString, scenario], options);
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
  await runToItsEnd(`127.0.0.1:${DEAD_PORT}`, 'refused');
});

test('after close while a server does not answer the process ends', async () => {
  await using scripted = await ScriptedServer.start({ connect: () => {} });
  await runToItsEnd(scripted.connectString, 'mute');
});
