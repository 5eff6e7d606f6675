import type { FaultRules } from './fault-rules.js';
import type { FrameInfo } from './zookeeper-frames.js';

/** What applies to all connections of a proxy; changed while they run. */
export interface ProxySettings {
  delayMs: number;
  bytesPerChunk: number;
  notificationsHeld: boolean;
  /** Put into every ConnectResponse. */
  sessionTimeout: number | undefined;
  /** Put into the next ConnectRequest. */
  nextSessionId: bigint | undefined;
  readonly rules: FaultRules;
  observe(frame: FrameInfo): void;
}

/** Offsets within the frames of the handshake. */
const CONNECT_REQUEST_SESSION_ID = 20;
const CONNECT_RESPONSE_TIMEOUT = 8;

/** The frame as it is passed on: those of the handshake may say something else than they did. */
export function rewritten(frame: Buffer, { direction, type }: FrameInfo, settings: ProxySettings): Buffer {
  if (type !== 'connect') return frame;
  const copy = Buffer.from(frame);
  const { sessionTimeout, nextSessionId } = settings;
  if (direction === 'reply' && sessionTimeout !== undefined) {
    copy.writeInt32BE(sessionTimeout, CONNECT_RESPONSE_TIMEOUT);
  } else if (direction === 'request' && nextSessionId !== undefined) {
    copy.writeBigInt64BE(nextSessionId, CONNECT_REQUEST_SESSION_ID);
    settings.nextSessionId = undefined;
  }
  return copy;
}
