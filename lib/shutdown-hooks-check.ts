const WARNING =
  'Shutdown hooks are off: after a SIGTERM, held locks stay taken until the session times out. ' +
  'Call app.enableShutdownHooks() before app.listen(), or set shutdownHookWarning: false if the application is closed in another way';

/** How long a script may take that creates an application without an HTTP server and closes it at the end, ms. */
const SCRIPT_MS = 10_000;

/**
 * Warns if nothing closes the application after a SIGTERM. Nest does not expose whether its shutdown hooks are on, but
 * they are listeners of the process, as is other code that closes the application, which usually needs the application
 * first. Listeners that exist before its providers are taken for those of tracing and of other applications.
 */
export class ShutdownHooksCheck {
  // Not `#earlier`: with Nest's `instrument.instanceDecorator` the module may be a Proxy.
  private readonly earlier = new Set(process.listeners('SIGTERM'));
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly warn: (message: string) => void) {}

  /**
   * Call it when the application has started. Without an HTTP server the check runs later, because
   * `createApplicationContext` has not returned yet, so its caller could not enable hooks; and a script needs none.
   */
  started({ hasServer }: { readonly hasServer: boolean }): void {
    if (hasServer) this.check();
    else this.timer = setTimeout(() => this.check(), SCRIPT_MS).unref();
  }

  /** Call it when the application is closing. */
  closing(): void {
    clearTimeout(this.timer);
  }

  private check(): void {
    if (process.listeners('SIGTERM').every((listener) => this.earlier.has(listener))) this.warn(WARNING);
  }
}
