/** Callers of one process that share a contender have tokens that differ in their last 11 bits. */
const TOKENS_OF_A_TURN = 2_048n;

/** The contender behind a token, as a number. */
export function turnOf(token: bigint): bigint {
  return token / TOKENS_OF_A_TURN;
}

export function haveSameTurn(a: bigint, b: bigint): boolean {
  return turnOf(a) === turnOf(b);
}

export function isFirstOfTurn(token: bigint): boolean {
  return token % TOKENS_OF_A_TURN === 0n;
}
