import { Logger } from '@nestjs/common';
import { beforeEach, expect, test } from 'vitest';
import { LoggedConnection } from '../../lib/connection-log.js';
import { FakeClock } from './fake-clock.js';

const refused = new Error('connect ECONNREFUSED');
const FAILED = 'Could not connect to ZooKeeper at zk1:2181';

let clock: FakeClock;
let lines: string[];
let log: LoggedConnection;

beforeEach(() => {
  clock = new FakeClock();
  lines = [];
  const logger = Object.assign(new Logger('test'), {
    log: (message: string) => lines.push(`log ${message}`),
    warn: (message: string) => lines.push(`warn ${message}`),
  });
  log = new LoggedConnection(logger, clock, [
    { host: 'zk1', port: 2181 },
    { host: '::1', port: 2182 },
  ]);
});

test('names the servers to which it connects', () => {
  log.connecting();
  expect(lines).toEqual(['log Connecting to ZooKeeper at zk1:2181, [::1]:2182']);
});

test('warns of the first failure of each server, and then once a minute with the number of other failures', () => {
  log.attemptFailed('zk1:2181', refused);
  log.attemptFailed('zk1:2181', refused);
  log.attemptFailed('[::1]:2182', refused);
  clock.advance(59_999);
  log.attemptFailed('zk1:2181', refused);
  clock.advance(1);
  log.attemptFailed('zk1:2181', refused);
  expect(lines).toEqual([
    `warn ${FAILED}, will try again: connect ECONNREFUSED`,
    'warn Could not connect to ZooKeeper at [::1]:2182, will try again: connect ECONNREFUSED',
    `warn ${FAILED}, will try again: connect ECONNREFUSED (attempts since the last warning: 3)`,
  ]);
});

test('warns of the first failure after a connection', () => {
  log.attemptFailed('zk1:2181', refused);
  log.connected();
  log.attemptFailed('zk1:2181', refused);
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['warn', 'warn']);
});
