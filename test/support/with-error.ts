/** Where a reply has its error code, behind its length, xid and zxid. */
const ERROR_OFFSET = 16;

/** The reply of a server that refuses the request, with an error code such as -102. */
export function withError(reply: Buffer, code: number): Buffer {
  const refusal = Buffer.from(reply);
  refusal.writeInt32BE(code, ERROR_OFFSET);
  return refusal;
}
