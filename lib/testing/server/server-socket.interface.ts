/** The part of `net.Socket` that a server uses. */
export interface ServerSocket {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  setNoDelay(noDelay: boolean): unknown;
  on(event: 'data', listener: (chunk: Buffer) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end' | 'close', listener: () => void): unknown;
  cork(): void;
  uncork(): void;
  write(bytes: Buffer): unknown;
  /** Closes the socket when everything has been written. */
  destroySoon(): void;
}
