import { EmbeddedZooKeeper } from 'nestjs-locked/testing';

export interface DemoZooKeeper extends AsyncDisposable {
  readonly connectString: string;
  readonly origin: string;
}

/** The one that `ZOOKEEPER` names, or one within this process. */
export async function startZooKeeper(): Promise<DemoZooKeeper> {
  const connectString = process.env['ZOOKEEPER'];
  if (connectString) {
    return { connectString, origin: 'from ZOOKEEPER', [Symbol.asyncDispose]: async () => {} };
  }
  // Ticks as long as a real server has them: a session must survive what a busy laptop does to it.
  const zookeeper = await EmbeddedZooKeeper.start({ tickTime: 2_000, onNotice: false });
  return {
    connectString: zookeeper.connectString,
    origin: 'embedded in this demo',
    [Symbol.asyncDispose]: () => zookeeper.stop(),
  };
}
