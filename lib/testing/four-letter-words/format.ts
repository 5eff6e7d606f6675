/** The 64 bits of a number as four-letter words print them: `0x10000d2f3090001`. */
export function hexadecimal(value: bigint): string {
  return `0x${BigInt.asUintN(64, value).toString(16)}`;
}

/** A date in Java's format: `Sat Nov 21 12:09:44 UTC 2026`. */
export function javaDate(wall: number): string {
  const [weekday, day, month, year, time] = new Date(wall).toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${day} ${time} UTC ${year}`;
}

/** One line `name=value` for each field. */
export function lines(fields: Record<string, string | number>): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
