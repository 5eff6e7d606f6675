import { EmbeddedZooKeeper } from 'nestjs-locked/testing';

export interface DemoZooKeeper extends AsyncDisposable {
  readonly connectString: string;
  readonly origin: string;
}

/** Uses the servers in `ZOOKEEPER`, or starts an embedded server. */
export async function startZooKeeper(): Promise<DemoZooKeeper> {
  const connectString = process.env['ZOOKEEPER'];
  if (connectString) {
    return { connectString, origin: 'from ZOOKEEPER', [Symbol.asyncDispose]: async () => {} };
  }
  // The tick time of a real server: sessions must not expire on a busy machine.
  const zookeeper = await EmbeddedZooKeeper.start({ tickTime: 2_000, onNotice: false });
  return {
    connectString: zookeeper.connectString,
    origin: 'embedded in this demo',
    [Symbol.asyncDispose]: () => zookeeper.stop(),
  };
}
