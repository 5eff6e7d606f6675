import { hostname } from 'node:os';

/** Names a process in owner records. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
}

export function thisProcess(): ProcessIdentity {
  return { host: hostname(), pid: process.pid };
}
