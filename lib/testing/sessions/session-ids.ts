/** The ids of the sessions that a server opens. */
export class SessionIds {
  #next: bigint;

  /**
   * @param server number of the server in its ensemble; 1 for a single one
   * @param wall wall-clock time of its start, ms since 1970
   */
  constructor(server: number, wall: number) {
    this.#next = firstId(BigInt(server), wall);
  }

  next(): bigint {
    return this.#next++;
  }
}

/** The server in the highest byte, then five bytes of the start time and two of a counter. */
function firstId(server: bigint, wall: number): bigint {
  const time = BigInt.asUintN(64, BigInt(Math.floor(wall)) << 24n) >> 8n;
  return BigInt.asIntN(64, (server << 56n) | time);
}
