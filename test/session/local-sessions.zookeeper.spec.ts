import { afterEach, expect, it } from 'vitest';
import { createLockService } from '../../lib/index.js';
import { endedWithTest } from '../fixtures/ended-with-test.js';
import { ZooKeeperEnsemble } from '../support/zookeeper-ensemble.js';
import type { ZooKeeperServer } from '../support/zookeeper-server.js';

/** Local sessions are known to one server, and may not have ephemeral nodes (H39). */
let ensemble: ZooKeeperEnsemble;

afterEach(async () => ensemble.stop());

async function startServers(upgrading: boolean): Promise<Record<'leader' | 'follower', ZooKeeperServer>> {
  const config = { localSessionsEnabled: 'true', localSessionsUpgradingEnabled: String(upgrading) };
  ensemble = await ZooKeeperEnsemble.start({ config });
  const leader = await ensemble.leader();
  return { leader, follower: ensemble.allBut(leader)[0]! };
}

it.for(['leader', 'follower'] as const)(
  'servers that upgrade local sessions keep locks: a %s',
  async (role) => {
    const servers = await startServers(true);
    const locks = await createLockService({ connectString: servers[role].connectString });
    endedWithTest({ [Symbol.asyncDispose]: () => locks.close() });

    const held = await locks.lock('order');
    const others = await createLockService({ connectString: ensemble.connectString });
    endedWithTest({ [Symbol.asyncDispose]: () => others.close() });

    expect(await others.tryLock('order')).toBeNull();
    expect(await held.release()).toBe(true);
  },
);

it.for(['leader', 'follower'] as const)(
  'servers that do not upgrade local sessions are refused at the start, with what to change: a %s',
  async (role) => {
    const servers = await startServers(false);
    const lazy = await createLockService({ connectString: servers[role].connectString, lazy: true });
    endedWithTest({ [Symbol.asyncDispose]: () => lazy.close() });

    await expect(lazy.lock('order')).rejects.toThrow('localSessionsUpgradingEnabled=true');

    const starting = createLockService({ connectString: servers[role].connectString });

    await expect(starting).rejects.toMatchObject({
      name: 'LockUnavailableError',
      message: expect.stringMatching(/local sessions.*localSessionsUpgradingEnabled=true/),
    });
  },
);
