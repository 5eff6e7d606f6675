/** A session id as ZooKeeper prints it, `0x...`. */
export function formatSessionId(sessionId: bigint): string {
  return `0x${BigInt.asUintN(64, sessionId).toString(16)}`;
}
