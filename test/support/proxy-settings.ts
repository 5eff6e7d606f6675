import type { FaultRules } from './fault-rules.js';
import type { FrameInfo } from './zookeeper-frames.js';

/** The settings for all connections of a proxy. They can change at any time. */
export interface ProxySettings {
  delayMs: number;
  bytesPerChunk: number;
  notificationsHeld: boolean;
  /** Replaces the timeout in every ConnectResponse. */
  sessionTimeout: number | undefined;
  /** Replaces the session id in the next ConnectRequest. */
  nextSessionId: bigint | undefined;
  readonly rules: FaultRules;
  observe(frame: FrameInfo): void;
}

/** Offsets within the frames of the handshake. */
const CONNECT_REQUEST_SESSION_ID = 20;
const CONNECT_RESPONSE_TIMEOUT = 8;

/** Returns the frame to forward, which differs for the handshake. */
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
