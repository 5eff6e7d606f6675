/** As Java prints a date: `Sat Nov 21 12:09:44 UTC 2026`. */
export function javaDate(wall: number): string {
  const [weekday, day, month, year, time] = new Date(wall).toUTCString().replace(',', '').split(' ');
  return `${weekday} ${month} ${day} ${time} UTC ${year}`;
}
