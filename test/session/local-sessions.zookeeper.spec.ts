import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLockService } from '../../lib/index.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';
import type { ZooKeeperServer } from '../support/zookeeper-server.js';

const ROLES = ['leader', 'follower'] as const;

/** Connect strings: of one server, and of all of them. */
interface Servers {
  of(role: (typeof ROLES)[number]): string;
  all(): string;
}

/** Local sessions are known to one server, and may not have ephemeral nodes (H39). */
function useLocalSessions({ upgraded }: { upgraded: boolean }): Servers {
  let ensemble: ZooKeeperEnsemble;
  let leader: ZooKeeperServer;
  beforeAll(async () => {
    const config = { localSessionsEnabled: 'true', localSessionsUpgradingEnabled: String(upgraded) };
    ensemble = await ZooKeeperEnsemble.start({ config });
    leader = await ensemble.leader();
  });
  afterAll(() => ensemble.stop());
  return {
    of: (role) => (role === 'leader' ? leader : ensemble.allBut(leader)[0]!).connectString,
    all: () => ensemble.connectString,
  };
}

describe('servers that upgrade local sessions', () => {
  const servers = useLocalSessions({ upgraded: true });

  it.for(ROLES)('keep locks: a %s', async (role) => {
    const locks = await createLockService({ connectString: servers.of(role) });
    endedWithTest({ [Symbol.asyncDispose]: () => locks.close() });

    const held = await locks.lock('order');
    const others = await createLockService({ connectString: servers.all() });
    endedWithTest({ [Symbol.asyncDispose]: () => others.close() });

    expect(await others.tryLock('order')).toBeNull();
    expect(await held.release()).toBe(true);
  });
});

describe('servers that do not upgrade local sessions', () => {
  const servers = useLocalSessions({ upgraded: false });

  it.for(ROLES)('are refused at the start, with what to change: a %s', async (role) => {
    const lazy = await createLockService({ connectString: servers.of(role), lazy: true });
    endedWithTest({ [Symbol.asyncDispose]: () => lazy.close() });

    await expect(lazy.lock('order')).rejects.toThrow('localSessionsUpgradingEnabled=true');

    const starting = createLockService({ connectString: servers.of(role) });

    await expect(starting).rejects.toMatchObject({
      name: 'LockUnavailableError',
      message: expect.stringMatching(/local sessions.*localSessionsUpgradingEnabled=true/),
    });
  });
});
