/** The server has ended the connection in an orderly way. */
export class ClosedByServerError extends Error {
  override readonly name = 'ClosedByServerError';
}

/** A socket fails with these when the server has closed it with bytes of ours still unread. */
const RESET_CODES = ['ECONNRESET', 'EPIPE'];

/** True if the connection was ended by the other side, and not because we gave it up. */
export function isClosedByServer(cause: Error & { readonly code?: unknown }): boolean {
  return cause instanceof ClosedByServerError || RESET_CODES.includes(String(cause.code));
}
