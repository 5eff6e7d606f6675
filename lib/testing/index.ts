export { EmbeddedZooKeeper, type EphemeralNode } from './embedded-zookeeper.js';
export type { EmbeddedZooKeeperOptions } from './embedded-zookeeper-options.js';
export { LockTestingModule } from './nest/lock-testing.module.js';
export { LockTesting } from './nest/lock-testing.js';
export { LockAssertionError } from './nest/lock-assertion.error.js';
export type { Contender } from './nest/queue-contents.js';
export type { RecordedHold } from './nest/recorded-holds.js';
