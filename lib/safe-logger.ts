import { Logger } from '@nestjs/common';

/** What this library writes to the log of the application. */
export interface SafeLogger {
  debug(message: string): void;
  log(message: string): void;
  warn(message: string): void;
  error(message: string | Error, stack?: string): void;
}

/**
 * Writes with Nest's logger. Its methods never throw, also if the logger of the application does, for example because a disk
 * is full: a line that cannot be written must not change what happens to a lock.
 */
export function safeLogger(context: string): SafeLogger {
  const logger = new Logger(context);
  const safely = (write: () => void): void => {
    try {
      write();
    } catch {
      // There is no other place to report it.
    }
  };
  return {
    debug: (message) => safely(() => logger.debug(message)),
    log: (message) => safely(() => logger.log(message)),
    warn: (message) => safely(() => logger.warn(message)),
    error: (message, stack) => safely(() => logger.error(message, stack)),
  };
}
