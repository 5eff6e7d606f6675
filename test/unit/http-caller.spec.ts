import { once } from 'node:events';
import { createServer, request, type ServerResponse } from 'node:http';
import { connect, createServer as createServer2, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { HttpCaller } from '../../lib/callers/http-caller.js';

/** A request that waits for its response, and its client. */
interface Exchange {
  readonly response: ServerResponse | Http2ServerResponse;
  readonly leave: () => void;
  /** Settles when the client has its response. */
  readonly answered: Promise<unknown>;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

async function overHttp1(): Promise<Exchange> {
  const server = createServer();
  const port = await listen(server);
  const client = request({ port, host: '127.0.0.1', agent: false }).on('error', () => {});
  client.end();
  const answered = new Promise((resolve) =>
    client.on('response', (answer) => answer.resume().on('end', resolve)),
  );
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
  return { response, answered, leave: () => client.destroy() };
}

async function overHttp2(): Promise<Exchange> {
  const server = createServer2();
  const port = await listen(server);
  const session = connect(`http://127.0.0.1:${port}`).on('error', () => {});
  onTestFinished(() => session.destroy());
  const stream = session.request({ ':path': '/' }).on('error', () => {});
  stream.end();
  const answered = new Promise((resolve) => stream.resume().on('end', resolve));
  const [, response] = (await once(server, 'request')) as [unknown, Http2ServerResponse];
  return { response, answered, leave: () => session.destroy() };
}

describe.each([
  ['HTTP/1', overHttp1],
  ['HTTP/2', overHttp2],
])('the caller of a request over %s', (_protocol, open) => {
  test('has disconnected if its connection closes before the response', async () => {
    const { response, leave } = await open();
    const { signal } = new HttpCaller(response);
    expect(signal?.aborted).toBe(false);
    leave();
    await once(response, 'close');
    expect(signal?.aborted).toBe(true);
  });

  test('has not disconnected after the response', async () => {
    const { response, answered, leave } = await open();
    const { signal } = new HttpCaller(response);
    const closed = once(response, 'close');
    response.end('done');
    await answered;
    leave();
    await closed;
    expect(signal?.aborted).toBe(false);
  });

  test('has no signal after the response, even if it had disconnected', async () => {
    const { response, leave } = await open();
    const caller = new HttpCaller(response);
    expect(caller.signal?.aborted).toBe(false);
    leave();
    await once(response, 'close');
    response.end('for nobody');
    expect(caller.signal).toBeUndefined();
  });

  test('adds one listener however often its signal is read, and none before', async () => {
    const { response, leave } = await open();
    const before = response.listenerCount('close');
    const caller = new HttpCaller(response);
    expect(response.listenerCount('close')).toBe(before);
    for (let times = 0; times < 20; times += 1) expect(caller.signal?.aborted).toBe(false);
    expect(response.listenerCount('close')).toBe(before + 1);
    leave();
    await once(response, 'close');
    expect(response.listenerCount('close')).toBe(before);
  });
});

test('an HTTP/1 caller has disconnected even if its signal was not read before', async () => {
  const { response, leave } = await overHttp1();
  const caller = new HttpCaller(response);
  leave();
  await once(response, 'close');
  expect(caller.signal?.aborted).toBe(true);
});

test('an HTTP/2 caller has no signal then, because it is unknown whether the response was sent', async () => {
  const { response, leave } = await overHttp2();
  const caller = new HttpCaller(response);
  leave();
  await once(response, 'close');
  expect(caller.signal).toBeUndefined();
});
