const neverNotified = new Int32Array(new SharedArrayBuffer(4));

/**
 * Blocks the event loop for `ms`: no timer fires, no heartbeat is sent and no reply is handled. It uses no processor time, which
 * other processes of the test need.
 */
export function block(ms: number): void {
  Atomics.wait(neverNotified, 0, 0, ms);
}
