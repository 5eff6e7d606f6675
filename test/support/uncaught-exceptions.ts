/** The uncaught exceptions that `act` causes, while it runs and immediately after it. */
export async function uncaughtExceptions(act: () => void | Promise<void>): Promise<unknown[]> {
  const others = process.listeners('uncaughtException');
  const caught: unknown[] = [];
  const listener = (error: unknown) => caught.push(error);
  process.removeAllListeners('uncaughtException').on('uncaughtException', listener);
  try {
    await act();
    // rxjs throws from a timer: a timer that is set later fires later.
    await new Promise((resolve) => setTimeout(resolve, 1));
    return caught;
  } finally {
    process.off('uncaughtException', listener);
    for (const other of others) process.on('uncaughtException', other);
  }
}
