/**
 * Calls one of several listeners, whose code may be the application's. A throw becomes an uncaught exception, as that of a
 * subscriber with rxjs, and the others are called nevertheless: one that never learns of a loss would continue unprotected.
 */
export function isolated(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
