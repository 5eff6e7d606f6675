/** The constant that ZooKeeper combines with the id. */
const SUPER_SECRET = 0xb3415c00n;
const MULTIPLIER = 0x5deece66dn;
const INCREMENT = 0xbn;
const PASSWORD_BYTES = 16;
const INT_BYTES = 4;

/**
 * The password of a session on a real server, which derives it from the session id with Java's `Random`. With it a test
 * can close one of several sessions of a service without the code under test.
 */
export function sessionPassword(id: bigint): Buffer {
  const password = Buffer.alloc(PASSWORD_BYTES);
  let seed = BigInt.asUintN(48, id ^ SUPER_SECRET ^ MULTIPLIER);
  for (let at = 0; at < PASSWORD_BYTES; at += INT_BYTES) {
    seed = BigInt.asUintN(48, seed * MULTIPLIER + INCREMENT);
    password.writeInt32LE(Number(BigInt.asIntN(32, seed >> 16n)), at);
  }
  return password;
}
