import { EmbeddedZooKeeper } from '../../../lib/testing/index.js';
import { ZooKeeperServer } from '../../../test/support/zookeeper-server.js';
import { compare, compareInTurn } from './compare.js';
import { RawPairs } from '../process/raw-pairs.js';

const ROUNDS = 7;
const WINDOW_MS = 1_000;
const KEYS = 64;

type StoppableServer = { readonly connectString: string; stop(): Promise<void> };

const startEmbedded = () => EmbeddedZooKeeper.start({ onNotice: false });
const startReal = () => ZooKeeperServer.start();

/** Compares the embedded server, in the process of its client as in tests, with a real one on the same machine. */
export async function compareServers(): Promise<void> {
  const start = await compareInTurn(
    () => firstSession(startEmbedded),
    () => firstSession(startReal),
    ROUNDS,
  );
  const rows: Record<string, string>[] = [
    {
      what: 'start to first session, ms',
      embedded: start.subject.toFixed(1),
      real: start.reference.toFixed(1),
      'ratio (median)': start.ratio.median.toFixed(3),
    },
  ];
  const servers = [await startEmbedded(), await startReal()] as const;
  const [embedded, real] = await Promise.all(servers.map(connect));
  for (const parallel of [1, KEYS]) {
    const options = { parallel, rounds: ROUNDS, windowMs: WINDOW_MS };
    const { subject, reference, ratio } = await compare(
      (key) => embedded!.pair(key),
      (key) => real!.pair(key),
      options,
    );
    rows.push({
      what: `create and delete pairs/s, ${parallel} concurrently`,
      embedded: subject.toFixed(0),
      real: reference.toFixed(0),
      'ratio (median)': ratio.median.toFixed(2),
    });
  }
  console.table(rows);
  await Promise.all([embedded!.close(), real!.close()]);
  await Promise.all(servers.map((server) => server.stop()));
}

async function connect({ connectString }: StoppableServer): Promise<RawPairs> {
  const raw = await RawPairs.connect(connectString);
  for (let i = 0; i < KEYS; i += 1) await raw.prepare(`key-${i}`);
  return raw;
}

/** The time from the start of a server to the first session, ms. */
async function firstSession(start: () => Promise<StoppableServer>): Promise<number> {
  const begun = performance.now();
  const server = await start();
  const raw = await RawPairs.connect(server.connectString);
  const duration = performance.now() - begun;
  await raw.close();
  await server.stop();
  return duration;
}
