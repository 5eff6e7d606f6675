import { expect, test } from 'vitest';
import { startTestServer } from './test-server.js';
import { ZooKeeperServer } from './zookeeper-server.js';

test('no server starts in a spec whose name does not declare that it needs one', async () => {
  await expect(startTestServer()).rejects.toThrow('*.server.spec.ts');
  await expect(ZooKeeperServer.start()).rejects.toThrow('*.zookeeper.spec.ts');
});
