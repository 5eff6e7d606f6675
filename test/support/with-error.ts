/** The header of a reply: length, xid, zxid and error code. */
const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;

/** The reply of a server that refuses the request with an error code such as -102: the same xid and zxid, and no body. */
export function withError(reply: Buffer, code: number): Buffer {
  const refusal = Buffer.from(reply.subarray(0, HEADER_BYTES));
  refusal.writeInt32BE(HEADER_BYTES - LENGTH_BYTES, 0);
  refusal.writeInt32BE(code, HEADER_BYTES - LENGTH_BYTES);
  return refusal;
}
