import { hexadecimal } from './hexadecimal.js';
import type { WordContext } from './word-context.js';

// As on a real server, only watches on data and existence are told, not those on children.

/** `wchs`: how many watches there are. */
export function wchs({ service }: WordContext): string {
  const { data } = service.store.watches;
  const watchers = data.byWatcher();
  const paths = data.byPath().size;
  return `${watchers.size} connections watching ${paths} paths\nTotal watches:${data.size}\n`;
}

/** `wchp`: who watches each path. */
export function wchp({ service }: WordContext): string {
  const { data } = service.store.watches;
  const lines = [...data.byPath()].flatMap(([path, watchers]) => [
    path,
    ...[...watchers.keys()].map(({ session }) => `\t${hexadecimal(session)}`),
  ]);
  return lines.map((line) => `${line}\n`).join('') + '\n';
}

/** `wchc`: what each session watches. */
export function wchc({ service }: WordContext): string {
  const { data } = service.store.watches;
  const lines = [...data.byWatcher()].flatMap(([{ session }, paths]) => [
    hexadecimal(session),
    ...[...paths].map((path) => `\t${path}`),
  ]);
  return lines.map((line) => `${line}\n`).join('') + '\n';
}
