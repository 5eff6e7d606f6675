const assert = require('node:assert/strict');
const { test } = require('node:test');
const { createLockService, LockBusyError } = require('nestjs-locked');
const { EmbeddedZooKeeper } = require('nestjs-locked/testing');

test('two services exclude each other on an embedded ZooKeeper', async () => {
  const zookeeper = await EmbeddedZooKeeper.start();
  const [one, other] = await Promise.all(
    [1, 2].map(() => createLockService({ connectString: zookeeper.connectString })),
  );

  await one.withLock('report', { ttl: 10_000 }, async () => {
    await assert.rejects(other.lock('report', { wait: 0 }), LockBusyError);
  });
  assert.equal(await other.withLock('report', { wait: 0 }, async () => 'done'), 'done');

  await Promise.all([one.close(), other.close()]);
  await zookeeper.stop();
});
