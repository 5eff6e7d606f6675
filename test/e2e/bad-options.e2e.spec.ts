import { NestFactory } from '@nestjs/core';
import { expect, test } from 'vitest';
import { LockConfigurationError, LockModule } from '../../lib/index.js';

/** Starts an application as users do. Nothing listens on this port: connecting would take longer than the test. */
async function start(options: object): Promise<unknown> {
  const module = LockModule.forRoot({ connectTimeout: 50_000, ...options });
  return NestFactory.createApplicationContext(module, { abortOnError: false, logger: false });
}

const refusals: [options: object, says: string[]][] = [
  [
    { conectString: 'zk:2181' },
    ["unknown module option 'conectString'", 'accepted are connectString, createChroot, host'],
  ],
  [{ host: 'zk', connectString: 'zk:2181' }, ['`connectString`, or `host` and `port`, but not both']],
  [{ host: '' }, ['`host` is an empty string: the environment variable it comes from is probably not set']],
  [{ connectString: undefined }, ['`connectString` is undefined', "leave the key out for 'localhost:2181'"]],
  [{ auth: { credential: undefined } }, ['`auth.credential` is undefined', 'leave `auth` out']],
  [{ tls: { key: undefined } }, ['`tls.key` is undefined', 'leave the key out']],
  [
    { tls: { ca: '/etc/ssl/ca.pem' } },
    ['`tls.ca` is not PEM text', 'read the file: { ca: readFileSync(...) }'],
  ],
  [{ port: 99_999 }, ['`port` must be a whole number from 1 to 65535: got 99999 (number)']],
  [{ connectString: 'zk:21811111' }, ['Invalid connect string "zk:21811111"']],
  [{ root: 'locks' }, ["`root` must be an absolute path like '/locks'", "got 'locks' (string)"]],
  [{ root: '/locks/' }, ["got '/locks/' (string)"]],
  [{ resourceName: 7 }, ['A resource name must be a non-empty string: got 7 (number)']],
  [{ sessionTimeout: 100 }, ['`sessionTimeout` must be', '500', 'got 100']],
  [{ connectTimeout: Infinity }, ['`connectTimeout` must be a whole number of milliseconds', 'got Infinity']],
  [{ drainTimeout: -1 }, ['`drainTimeout` must be', 'from 0 to 2147483647', 'got -1 (number)']],
  [{ defaults: { ttl: -1 } }, ['ttl` must be a whole number of milliseconds', 'got -1 (number)']],
  [{ defaults: { ttl: 2 ** 31 } }, ['ttl` must be', 'got 2147483648 (number)']],
  [{ defaults: { ttl: Infinity } }, ['ttl` must be', 'got Infinity (number)']],
  [{ defaults: { wait: NaN } }, ['wait` must be', 'or Infinity: got NaN (number)']],
  [{ defaults: { ttl: '5s' } }, ["got '5s' (string)"]],
  [{ maxAttempts: 3 }, ['`maxAttempts` must be 1', 'got 3 (number)', 'how long to `wait` instead']],
  [{ maxAttempts: 1, defaults: { wait: 5 } }, ['`maxAttempts` and `defaults.wait` mean the same']],
  [
    { maxRetryCount: 1.5 },
    ['`maxRetryCount` must be a whole number of retries from 0 (no limit): got 1.5 (number)'],
  ],
  [{ retryDelay: 'soon' }, ['`retryDelay` must be a whole number of milliseconds', "got 'soon' (string)"]],
  [{ release: 'later' }, ["`release` must be 'confirmed' or 'sent': got 'later' (string)"]],
  [{ lazy: 'yes' }, ['`lazy` must be true or false']],
  [{ owner: '' }, ["`owner` must be a non-empty string: got '' (string)"]],
  [{ acl: 'creator' }, ["`acl: 'creator'` needs `auth`"]],
];

test.each(refusals)('an application with %o does not start', async (options, says) => {
  const outcome = start(options);
  await expect(outcome).rejects.toBeInstanceOf(LockConfigurationError);
  for (const part of says) await expect(outcome).rejects.toThrow(part);
});

test('the error lists all problems at once', async () => {
  const outcome = start({
    conectString: 'zk:2181',
    root: 'locks',
    drainTimeout: -1,
    defaults: { ttl: -1, wait: NaN },
    maxAttempts: 3,
  });
  await expect(outcome).rejects.toThrow(/^7 problems:(\n- .+){7}$/);
  await expect(outcome).rejects.toHaveProperty('problems.length', 7);
});

test('errors do not contain credentials', async () => {
  const outcome = start({ auth: { scheme: '', credential: 'user:topsecret' }, password: 'topsecret' });
  await expect(outcome).rejects.toBeInstanceOf(LockConfigurationError);
  await expect(outcome).rejects.not.toThrow('topsecret');
});
