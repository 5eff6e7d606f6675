/**
 * The peer sent what no ZooKeeper server sends. Nothing behind such a frame can be trusted, so it is always the cause
 * of a dropped connection and never the answer to one request.
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}
