/** The server has ended the connection, and not because we gave it up. */
export class ClosedByServerError extends Error {
  override readonly name = 'ClosedByServerError';
}

/** A socket fails with these when the server has closed it with bytes of ours still unread. */
const RESET_CODES = ['ECONNRESET', 'EPIPE'];

export function isReset(error: Error & { readonly code?: unknown }): boolean {
  return RESET_CODES.includes(String(error.code));
}
