/**
 * Observes a process without making it act. `isHeld()` of an overdue hold leaves the reaction to a microtask, which a process
 * that is stopped must not run.
 */
export function withoutMicrotasks<T>(observe: () => T): T {
  const { queueMicrotask } = globalThis;
  globalThis.queueMicrotask = () => {};
  try {
    return observe();
  } finally {
    globalThis.queueMicrotask = queueMicrotask;
  }
}
