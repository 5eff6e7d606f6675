import { createLockService } from '../../lib/index.js';
import { ZooKeeperServer } from '../../test/support/zookeeper-server.js';
import { compare, type Operation } from './measure.js';
import { RawPairs } from './raw-pairs.js';

const ROUNDS = 7;
const WINDOW_MS = 1_000;
const KEYS = 64;

/**
 * Compares uncontended acquire and release with pairs of create and delete through the same client in the same run. On a
 * shared machine only the ratio is meaningful.
 */
export async function benchLocks(): Promise<void> {
  await using server = await ZooKeeperServer.start({ tickTime: 2_000 });
  const { connectString } = server;
  const raw = await RawPairs.connect(connectString);
  for (let i = 0; i < KEYS; i += 1) await raw.prepare(`key-${i}`);
  const confirmed = await createLockService({ connectString });
  const sent = await createLockService({ connectString, release: 'sent' });

  const reference: Operation = (key) => raw.pair(key);
  const subjects: [name: string, operation: Operation][] = [
    ["withLock, release: 'confirmed'", (key) => confirmed.withLock(key, () => {})],
    ["withLock, release: 'sent'", (key) => sent.withLock(key, () => {})],
  ];
  const rows: Record<string, string>[] = [];
  for (const parallel of [1, KEYS]) {
    for (const [name, operation] of subjects) {
      const {
        subject,
        reference: pairs,
        ratio,
      } = await compare(operation, reference, { parallel, rounds: ROUNDS, windowMs: WINDOW_MS });
      rows.push({
        what: name,
        'keys at once': String(parallel),
        'locks/s': subject.toFixed(0),
        'raw pairs/s': pairs.toFixed(0),
        'ratio (median)': ratio.median.toFixed(2),
        'min-max': `${ratio.min.toFixed(2)}-${ratio.max.toFixed(2)}`,
      });
    }
  }
  console.table(rows);
  await Promise.all([raw.close(), confirmed.close(), sent.close()]);
}
