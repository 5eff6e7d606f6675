/** The types of the package, which its `exports` leave out; only what is used here. */
declare module 'redlock' {
  export default class Redlock {
    constructor(clients: Iterable<import('ioredis').Redis>, settings?: { readonly retryCount?: number });
    on(event: 'error', listener: (error: Error) => void): this;
    using<T>(resources: string[], duration: number, routine: (signal: AbortSignal) => Promise<T>): Promise<T>;
  }
}
