/**
 * Options of `@Leader`.
 *
 * @publicApi
 */
export interface LeaderOptions {
  /** Name of the lock service, as given to `LockModule.forRoot({ name })`. */
  readonly service?: string;
}
