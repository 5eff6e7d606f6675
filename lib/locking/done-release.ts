import type { Release } from './lock-provider.interface.js';

/** A release that nothing has to wait for: the lock stays with this process, which keeps it or hands it over. */
export const DONE_RELEASE: Release = {
  sent: Promise.resolve(),
  confirmed: Promise.resolve(true),
  freed: Promise.resolve(true),
};
