export { EmbeddedZooKeeper } from './embedded-zookeeper.js';
export type { EmbeddedZooKeeperOptions } from './embedded-zookeeper-options.js';
