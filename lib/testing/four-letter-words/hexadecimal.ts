/** Of the 64 bits of a number: `0x10000d2f3090001`. */
export function hexadecimal(value: bigint): string {
  return `0x${BigInt.asUintN(64, value).toString(16)}`;
}
