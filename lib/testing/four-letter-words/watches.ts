import { hexadecimal } from './format.js';
import type { WordContext } from './word-context.js';

// Like a real server, these count data and exists watches only, not child watches.

/** `wchs`: number of watches. */
export function wchs({ service }: WordContext): string {
  const { data } = service.store.watches;
  const watchers = data.byWatcher();
  const paths = data.byPath().size;
  return `${watchers.size} connections watching ${paths} paths\nTotal watches:${data.size}\n`;
}

/** `wchp`: sessions that watch each path. */
export function wchp({ service }: WordContext): string {
  const { data } = service.store.watches;
  const lines = [...data.byPath()].flatMap(([path, watchers]) => [
    path,
    ...[...watchers.keys()].map(({ session }) => `\t${hexadecimal(session)}`),
  ]);
  return lines.map((line) => `${line}\n`).join('') + '\n';
}

/** `wchc`: paths that each session watches. */
export function wchc({ service }: WordContext): string {
  const { data } = service.store.watches;
  const lines = [...data.byWatcher()].flatMap(([{ session }, paths]) => [
    hexadecimal(session),
    ...[...paths].map((path) => `\t${path}`),
  ]);
  return lines.map((line) => `${line}\n`).join('') + '\n';
}
