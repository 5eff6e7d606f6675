const WARNING =
  'Shutdown hooks are off: after a SIGTERM, held locks stay taken until the session times out. ' +
  'Call app.enableShutdownHooks() before app.listen(), or set shutdownHookWarning: false if the application is closed in another way';

/** How long an application without an HTTP server may be a script that closes it at its end, ms. */
const SCRIPT_MS = 10_000;

/**
 * Warns of an application that nothing closes at a SIGTERM. Nest does not tell whether its shutdown hooks are on, but they
 * are listeners of the process, as is anything else that closes the application, and both need the application first.
 * Listeners that are there before its providers, such as those of tracing and of other applications, do not close it.
 */
export class ShutdownHooksCheck {
  // Not `#earlier`: with Nest's `instrument.instanceDecorator` the module may be a Proxy.
  private readonly earlier = new Set(process.listeners('SIGTERM'));
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly warn: (message: string) => void) {}

  /**
   * The application has started. `createApplicationContext` returns only after that, so that hooks cannot be on yet; and a
   * script needs none.
   */
  started({ hasServer }: { readonly hasServer: boolean }): void {
    if (hasServer) this.check();
    else this.timer = setTimeout(() => this.check(), SCRIPT_MS).unref();
  }

  /** The application is closing. */
  closing(): void {
    clearTimeout(this.timer);
  }

  private check(): void {
    if (process.listeners('SIGTERM').every((listener) => this.earlier.has(listener))) this.warn(WARNING);
  }
}
