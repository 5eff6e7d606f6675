import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLockService, LockUnavailableError, type LockService } from '../../lib/index.js';
import { EventRecorder } from '../fixtures/event-recorder.js';
import { FaultProxy } from '../support/fault-proxy.js';
import { ZooKeeperServer } from '../support/zookeeper-server.js';

const MAX_BUFFER = 2_100;

/** The server closes a connection that sends a frame larger than its `jute.maxbuffer`. */
describe.each([
  { what: 'a long name', root: `/${'r'.repeat(1_500)}`, resource: 'n'.repeat(1_000), purpose: undefined },
  { what: 'a long purpose', root: '/locks', resource: 'n'.repeat(1_000), purpose: 'p'.repeat(1_000) },
])(`with $what, on a server with jute.maxbuffer=${MAX_BUFFER}`, ({ root, resource, purpose }) => {
  let server: ZooKeeperServer;
  beforeAll(async () => {
    server = await ZooKeeperServer.start({ jvm: [`-Djute.maxbuffer=${MAX_BUFFER}`] });
  });
  afterAll(() => server.stop());

  const verbs: Record<string, (locks: LockService) => Promise<unknown>> = {
    lock: (locks) => locks.lock(resource, { purpose }),
    tryLock: (locks) => locks.tryLock(resource, { purpose }),
    inspect: (locks) => locks.inspect(resource),
  };
  const tooLarge = Object.keys(verbs).filter((verb) => verb !== 'inspect' || purpose === undefined);

  it.each(tooLarge)(
    '%s fails with an error that names the size and the setting, and no other lock is lost',
    async (verb) => {
      await using proxy = await FaultProxy.start(server);
      const locks = await createLockService({
        connectString: proxy.connectString,
        owner: 'me',
        root,
        drainTimeout: 0,
      });
      const events = new EventRecorder(locks);
      const held = await locks.lock('small');
      // The start has tried a transaction that such a server does not accept either.
      const connections = proxy.count('connect');

      const error: unknown = await verbs[verb]!(locks).catch((reason: unknown) => reason);

      expect(error).toBeInstanceOf(LockUnavailableError);
      expect(error).toMatchObject({
        resource,
        cause: { code: 'REQUEST_TOO_LARGE', mayHaveBeenApplied: false },
        message: expect.stringMatching(/of \d+ bytes: .*jute\.maxbuffer\?.* Raise `jute\.maxbuffer`/),
      });
      expect(proxy.count('connect') - connections).toBeLessThanOrEqual(2);
      expect(held.isHeld()).toBe(true);
      expect(await held.release()).toBe(true);
      expect(events.ofType('lost')).toEqual([]);
      await locks.withLock('small', () => {});
      await locks.close();
    },
  );
});
