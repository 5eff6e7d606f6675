import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { SocketCaller, type SocketClient } from '../../lib/callers/socket-caller.js';

/** The part of a client that the two libraries have in common. */
class Client extends EventEmitter implements SocketClient {
  readyState?: number;
  connected?: boolean;

  constructor(state: Pick<SocketClient, 'readyState' | 'connected'>) {
    super();
    Object.assign(this, state);
  }
}

const open = (client: SocketClient) => new SocketCaller(client, new WeakMap());

describe.each([
  ['ws', { readyState: 1 }, { readyState: 3 }, 'close'],
  ['socket.io', { connected: true }, { connected: false }, 'disconnect'],
])('a client of %s', (_library, connected, disconnected, event) => {
  test('has disconnected when its socket closes', () => {
    const client = new Client(connected);
    const { signal } = open(client);
    expect(signal?.aborted).toBe(false);
    client.emit(event);
    expect(signal?.aborted).toBe(true);
  });

  test('has disconnected if its socket has closed since its message came', () => {
    const client = new Client(connected);
    const caller = open(client);
    Object.assign(client, disconnected);
    expect(caller.signal?.aborted).toBe(true);
  });

  test('waits for no answer if it has disconnected before', () => {
    expect(open(new Client(disconnected)).signal).toBeUndefined();
  });

  test('has no signal after its message has been handled', () => {
    const caller = open(new Client(connected));
    caller.handled();
    expect(caller.signal).toBeUndefined();
  });

  test('still counts as gone when Nest gives its message up because it has disconnected', () => {
    const client = new Client(connected);
    const caller = open(client);
    Object.assign(client, disconnected);
    caller.handled();
    expect(caller.signal?.aborted).toBe(true);
  });

  test('has one listener for all its messages', () => {
    const client = new Client(connected);
    const disconnects = new WeakMap<SocketClient, AbortController>();
    const callers = Array.from({ length: 20 }, () => new SocketCaller(client, disconnects));
    expect(client.listenerCount(event)).toBe(0);
    const signals = new Set(callers.map(({ signal }) => signal));
    expect(signals.size).toBe(1);
    expect(client.listenerCount(event)).toBe(1);
  });
});

test('a client of another kind has no signal', () => {
  expect(open({}).signal).toBeUndefined();
});
