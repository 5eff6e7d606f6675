import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** The spec files by what they need. */
export interface SpecGroups {
  /** No server, or one that the test itself brings along. */
  readonly plain: readonly string[];
  /** Any server: these run on a real one, and on an embedded one. */
  readonly anyServer: readonly string[];
  /** Real servers: restarts, ensembles, TLS, comparisons with the real thing. */
  readonly realServer: readonly string[];
}

const REAL = /'\.\.?\/.*(?:zookeeper-server|zookeeper-ensemble|zookeeper-installation|run-chaos)\.js'/;
const ANY = /'\.\.?\/.*(?:test-server|zookeeper-fixture|proxied-locks)\.js'/;

/** A spec says by its imports what it needs: nothing has to be kept up to date by hand. */
export function specGroups(directory = 'test'): SpecGroups {
  const specs = readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.spec.ts'))
    .map((file) => ({ path: join(directory, file), text: readFileSync(join(directory, file), 'utf8') }));
  const paths = (choose: (text: string) => boolean): string[] =>
    specs.filter(({ text }) => choose(text)).map(({ path }) => path);
  return {
    plain: paths((text) => !REAL.test(text) && !ANY.test(text)),
    anyServer: paths((text) => !REAL.test(text) && ANY.test(text)),
    realServer: paths((text) => REAL.test(text)),
  };
}
