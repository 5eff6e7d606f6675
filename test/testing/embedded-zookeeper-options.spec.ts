import { describe, expect, test } from 'vitest';
import { LockConfigurationError } from '../../lib/index.js';
import { EmbeddedZooKeeper } from '../../lib/testing/index.js';
import {
  resolveEmbeddedZooKeeperOptions,
  type EmbeddedZooKeeperOptions,
} from '../../lib/testing/embedded-zookeeper-options.js';

test('every option has a default', () => {
  expect(resolveEmbeddedZooKeeperOptions()).toMatchObject({
    port: 0,
    host: '127.0.0.1',
    tickTime: 500,
    minSessionTimeout: 1_000,
    maxSessionTimeout: 40_000,
    maxFrameBytes: 0xfffff,
    containerCheckInterval: 1_000,
    ttlNodes: true,
    time: 'real',
  });
});

test('the shortest session has two ticks, and the longest is at least as long', () => {
  const { minSessionTimeout, maxSessionTimeout } = resolveEmbeddedZooKeeperOptions({ tickTime: 30_000 });
  expect([minSessionTimeout, maxSessionTimeout]).toEqual([60_000, 60_000]);
});

describe('a bad value is printed with its type and the accepted values', () => {
  test.for<[unknown, RegExp]>([
    [{ port: -1 }, /^`port` must be a whole number from 0 to 65535: got -1 \(number\)$/],
    [{ port: '2181' }, /^`port` .* got '2181' \(string\)$/],
    [{ port: 65_536 }, /^`port` .* got 65536/],
    [{ host: '' }, /^`host` must be a host name or an IP address: got '' \(string\)$/],
    [{ tickTime: 0 }, /^`tickTime` must be a whole number of milliseconds from 1 to \d+: got 0/],
    [{ tickTime: 1.5 }, /^`tickTime` .* got 1\.5/],
    [{ tickTime: Number.NaN }, /^`tickTime` .* got NaN/],
    [{ minSessionTimeout: Infinity }, /^`minSessionTimeout` .* got Infinity/],
    [{ maxSessionTimeout: 2 ** 31 }, /^`maxSessionTimeout` .* got 2147483648/],
    [
      { minSessionTimeout: 5_000, maxSessionTimeout: 4_000 },
      /^`minSessionTimeout` must not exceed `maxSessionTimeout`, which is 4000: got 5000/,
    ],
    [{ maxFrameBytes: 0 }, /^`maxFrameBytes` .* got 0/],
    [{ containerCheckInterval: '1s' }, /^`containerCheckInterval` .* got '1s' \(string\)$/],
    [{ ttlNodes: 1 }, /^`ttlNodes` must be true or false: got 1 \(number\)$/],
    [{ time: 'fake' }, /^`time` must be 'real' or 'manual': got 'fake' \(string\)$/],
    [{ tiem: 'manual' }, /^unknown option 'tiem': accepted are port, host, tickTime, /],
    [{ onNotice: true }, /^`onNotice` must be a function or false: got true \(boolean\)$/],
  ])('%o', ([options, message]) => {
    expect(() => resolveEmbeddedZooKeeperOptions(options as EmbeddedZooKeeperOptions)).toThrow(message);
  });
});

test('anything but options is refused', () => {
  expect(() => resolveEmbeddedZooKeeperOptions(2181 as EmbeddedZooKeeperOptions)).toThrow(
    'An embedded server takes an object of options: got 2181 (number)',
  );
});

test('all problems are reported at once, before the server listens', async () => {
  const error: unknown = await EmbeddedZooKeeper.start({ port: -1, tickTime: 0 }).catch(
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(LockConfigurationError);
  expect((error as LockConfigurationError).problems).toHaveLength(2);
});
