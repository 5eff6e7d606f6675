import { describe, expect, test } from 'vitest';
import { parseConnectString } from '../../lib/zookeeper/connect-string.js';

const server = (host: string, port: number): object => ({ host, port });

test.each([
  ['zk1', [server('zk1', 2181)], ''],
  ['zk1:2182', [server('zk1', 2182)], ''],
  ['zk1:1,zk2:65535,zk3', [server('zk1', 1), server('zk2', 65_535), server('zk3', 2181)], ''],
  [' zk1:2181 , zk2:2182 ', [server('zk1', 2181), server('zk2', 2182)], ''],
  ['10.0.0.1:2181/a', [server('10.0.0.1', 2181)], '/a'],
  ['zk1/a/b.c', [server('zk1', 2181)], '/a/b.c'],
  ['zk1/', [server('zk1', 2181)], ''],
  ['[::1]', [server('::1', 2181)], ''],
  ['[::1]:2182,[2001:db8::5]/shop', [server('::1', 2182), server('2001:db8::5', 2181)], '/shop'],
  ['[fe80::1%eth0]:2181', [server('fe80::1%eth0', 2181)], ''],
  ['zk1,zk1', [server('zk1', 2181), server('zk1', 2181)], ''],
  [
    'host:2181,[::1]:2182,name/chroot',
    [server('host', 2181), server('::1', 2182), server('name', 2181)],
    '/chroot',
  ],
])('reads %j', (value, servers, chroot) => {
  expect(parseConnectString(value)).toEqual({ servers, chroot });
});

describe('refuses with the value and the reason', () => {
  test.each([
    ['', 'it must be a non-empty string'],
    ['  ', 'it must be a non-empty string'],
    ['/a', 'it names no server'],
    ['zk1,,zk2', 'there is an empty server between the commas'],
    ['zk1,', 'there is an empty server between the commas'],
    ['zk1:', 'the port of "zk1:" is not a number from 1 to 65535'],
    ['zk1:0', 'the port of "zk1:0" is not'],
    ['zk1:65536', 'the port of "zk1:65536" is not'],
    ['zk1:2181x', 'the port of "zk1:2181x" is not'],
    ['zk1:-1', 'the port of "zk1:-1" is not'],
    ['zk1:1e3', 'the port of "zk1:1e3" is not'],
    [':2181', '":2181" is not a server'],
    ['::1', '"::1" is not a server; an IPv6 address needs brackets'],
    ['[::1', '"[::1" is not a server'],
    ['[zk1]:2181', '"zk1" is not an IPv6 address'],
    ['[]:2181', '"" is not an IPv6 address'],
    ['zk 1:2181', '"zk 1:2181" is not a server'],
    ['zookeeper://zk1:2181', 'it is not a URL'],
    ['zk1/a//b', 'the chroot path has an empty segment'],
    ['zk1/a/', 'the chroot path ends with a slash'],
    ['zk1/a/../b', 'the chroot path has a relative segment'],
    ['zk1/.', 'the chroot path has a relative segment'],
    ['zk1/a\u0007b', 'the chroot path contains U+0007, a character that ZooKeeper refuses in paths'],
    ['zk1/\ue000', 'the chroot path contains U+E000, a character that ZooKeeper refuses in paths'],
    ['zk1/a,zk2:2181', 'the chroot path must follow the last server'],
  ])('%j', (value, reason) => {
    expect(() => parseConnectString(value)).toThrow(TypeError);
    expect(() => parseConnectString(value)).toThrow(
      `Invalid connect string ${JSON.stringify(value)} (string): `,
    );
    expect(() => parseConnectString(value)).toThrow(reason);
    expect(() => parseConnectString(value)).toThrow('Expected "host[:port][,host[:port]...][/chroot]"');
  });

  test.for([
    [undefined, 'undefined'],
    [null, 'null'],
    [2181, '2181 (number)'],
    [{}, 'an object Object'],
    [['zk1'], 'an array of 1'],
    [Object.create(null), 'an object without a constructor'],
    [parseConnectString, 'a function parseConnectString'],
  ] as [unknown, string][])('%o, which is not a string', ([value, shown]) => {
    // @ts-expect-error the type forbids it, but configuration often comes from outside
    const parse = (): unknown => parseConnectString(value);
    expect(parse).toThrow(`Invalid connect string ${shown}: it must be a non-empty string`);
  });
});

test.each([
  ['shop:hunter2@zk1:2181', '***@zk1:2181'],
  ['zk1,shop:hunter2@zk2', '***@zk2'],
  ['zookeeper://shop:hunter2@zk1:2181/a', '***@zk1:2181/a'],
  ['shop:hunter2/horse@zk1', '***@zk1'],
])('a connect string with credentials is refused without them: %s', (value, shown) => {
  const parse = (): unknown => parseConnectString(value);
  expect(parse).toThrow(
    `Invalid connect string "${shown}" (string): credentials in the connect string are not supported`,
  );
  expect(parse).toThrow('use the `auth` option');
  expect(parse).not.toThrow(/hunter2/);
});
