import { expect, test } from 'vitest';
import { SessionCredentials } from '../../lib/zookeeper/client/session-credentials.js';

const password = Buffer.alloc(16);

test.each([
  { addresses: 1, sessionTimeout: 2_000, connectTimeout: 10_000, ms: 5_000 },
  { addresses: 3, sessionTimeout: 2_000, connectTimeout: 10_000, ms: 2_500 },
  { addresses: 5, sessionTimeout: 20_000, connectTimeout: 10_000, ms: 2_500 },
  { addresses: 1, sessionTimeout: 20_000, connectTimeout: 300, ms: 2_500 },
  { addresses: 0, sessionTimeout: 2_000, connectTimeout: 10_000, ms: 10_000 },
])(
  'without a session an attempt at one of $addresses addresses may take $ms ms of connectTimeout = $connectTimeout (T = $sessionTimeout)',
  ({ addresses, sessionTimeout, connectTimeout, ms }) => {
    const session = new SessionCredentials({ sessionTimeout, connectTimeout });
    expect(session.attemptLimit(addresses)).toBe(ms);
  },
);

test('with a session an attempt may take an eighth of the negotiated timeout, whatever connectTimeout says', () => {
  const session = new SessionCredentials({ sessionTimeout: 2_000, connectTimeout: 600_000 });
  session.adopt({ sessionId: 7n, password, timeout: 4_000 });
  expect(session.attemptLimit(1)).toBe(500);
  session.adopt({ sessionId: 7n, password, timeout: 1 });
  expect(session.attemptLimit(1)).toBe(62.5);
});

test('a connect request carries the last zxid that was seen, for a session timeout after the last contact', () => {
  const session = new SessionCredentials({ sessionTimeout: 2_000, connectTimeout: 10_000 });
  session.adopt({ sessionId: 7n, password, timeout: 4_000 });
  session.sawZxid(9n);
  session.sawZxid(5n);
  session.detached(1_000);
  expect(session.connectRequest(5_000)).toEqual({ sessionId: 7n, password, lastZxid: 9n, timeout: 2_000 });
  expect(session.connectRequest(5_001)).toMatchObject({ sessionId: 7n, lastZxid: 0n });
});
