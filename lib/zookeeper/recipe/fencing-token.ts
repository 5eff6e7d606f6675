import { LockUnavailableError } from '../../locking/errors/lock-unavailable.error.js';

/** A token has 63 bits: 20 for the epoch, 32 for the counter, 11 for the local grant. */
const LOCAL_GRANT_BITS = 11n;
const EPOCHS = 1n << 20n;

/** Number of local grants that one contender can have. */
export const LOCAL_GRANTS = 2 ** Number(LOCAL_GRANT_BITS);

/**
 * The fencing token of local grant `n` (0 to 2,047) of the contender created by transaction `czxid`:
 * `epoch << 43 | counter << 11 | n`, where epoch and counter are the halves of the czxid. Transaction ids increase across
 * the whole ensemble and never restart, unlike sequence numbers, which restart with every new lock path.
 *
 * @throws RangeError if the epoch does not fit, after 2^20 leader elections
 */
export function fencingToken(czxid: bigint, n = 0): bigint {
  const epoch = czxid >> 32n;
  if (epoch < 0n || epoch >= EPOCHS) {
    throw new RangeError(
      `ZooKeeper's epoch ${epoch} does not fit into a fencing token: the maximum is ${EPOCHS - 1n}`,
    );
  }
  if (!Number.isInteger(n) || n < 0 || n >= LOCAL_GRANTS) {
    throw new RangeError(`A contender has local grants 0 to ${LOCAL_GRANTS - 1}: got ${n}`);
  }
  return (czxid << LOCAL_GRANT_BITS) | BigInt(n);
}

/** The first half of the local grants of a closed lock is for its last holder, who has it again. */
const MOST_REGRANTS = BigInt(LOCAL_GRANTS / 2);

/** The token of the next grant to the holder of a closed lock with `token`; undefined if it has had too many. */
export function tokenOfRegrant(token: bigint): bigint | undefined {
  const next = token + 1n;
  return next % BigInt(LOCAL_GRANTS) < MOST_REGRANTS ? next : undefined;
}

/**
 * The token of a closed lock with `token` when it is taken over.
 *
 * @throws LockUnavailableError if it has been taken over more than a thousand times
 */
export function tokenOfTakeover(token: bigint, resource: string): bigint {
  const next = token + 1n;
  if (next % BigInt(LOCAL_GRANTS) !== 0n) return next;
  throw new LockUnavailableError(resource, 'it has been taken over too often, and there is no token left', {
    hint: 'Free it with forceRelease()',
  });
}

/**
 * The token of a contender with a single grant.
 *
 * @throws LockUnavailableError if the czxid has no token
 */
export function tokenOf(czxid: bigint, resource: string): bigint {
  try {
    if (czxid === 0n) throw new RangeError('Transaction 0 creates no contender');
    return fencingToken(czxid);
  } catch (cause) {
    throw new LockUnavailableError(resource, (cause as RangeError).message, {
      cause,
      hint: 'Compare with the zxid that the servers report (`srvr`): after so many elections, a new ensemble is required',
    });
  }
}
