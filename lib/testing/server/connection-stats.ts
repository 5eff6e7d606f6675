import { Statistics } from './statistics.js';

/** Counts and last activity of a connection, for the four-letter words. */
export class ConnectionStats {
  readonly traffic = new Statistics();
  /** Op code of the last request that was answered. */
  type: number | undefined;
  xid = -1;
  zxid = -1n;
  /** Time of the monotonic clock, ms. */
  respondedAt = 0;
  lastLatency = 0;
  /** By `crst`: then even the handshake is forgotten. */
  wasReset = false;

  constructor(readonly established: number) {}

  answered(type: number | undefined, xid: number, zxid: bigint, now: number, latency: number): void {
    this.type = type;
    if (xid >= 0) this.xid = xid;
    this.zxid = zxid;
    this.respondedAt = Math.floor(now);
    this.lastLatency = Math.round(latency);
    this.traffic.answered(latency);
  }

  reset(): void {
    this.wasReset = true;
    this.traffic.reset();
    this.type = undefined;
    this.xid = -1;
    this.zxid = -1n;
    this.respondedAt = 0;
    this.lastLatency = 0;
  }
}
