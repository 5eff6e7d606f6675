import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The spec files by what they need. */
export interface SpecGroups {
  /** No server, or one that the test itself brings along. */
  readonly plain: string[];
  /** Any server: these run on a real one, and on an embedded one. */
  readonly anyServer: string[];
  /** Real servers: restarts, ensembles, TLS, comparisons with the real thing. */
  readonly realServer: string[];
}

const ANY_SERVER = 'test-server.ts';
/** Where real servers come from, and what the setup installs beside them. */
const REAL_SERVER = ['zookeeper-server.ts', 'zookeeper-installation.ts', 'fake-time.ts'];
const IMPORT = /^(?:import|export) (?!type )[^;]*?from '(\.[^']+)\.js';/gm;

/** A spec says by its imports, and theirs, what it needs: nothing has to be kept up to date by hand. */
export function specGroups(directories = ['test', 'tools']): SpecGroups {
  const groups: SpecGroups = { plain: [], anyServer: [], realServer: [] };
  const paths = directories
    .flatMap((directory) =>
      readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((file) => join(directory, file)),
    )
    .filter((path) => path.endsWith('.spec.ts') && !path.startsWith('test/consumers/'));
  for (const path of paths) {
    const servers = serversBehind(path, new Set());
    if (REAL_SERVER.some((name) => servers.has(name))) groups.realServer.push(path);
    else if (servers.has(ANY_SERVER)) groups.anyServer.push(path);
    else groups.plain.push(path);
  }
  return groups;
}

/** Which of the modules that start servers `file` leads to. */
function serversBehind(file: string, seen: Set<string>): Set<string> {
  const found = new Set<string>();
  for (const [, target] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
    const path = join(dirname(file), `${target!}.ts`);
    const name = basename(path);
    if (name === ANY_SERVER || REAL_SERVER.includes(name)) found.add(name);
    else if (/^(test|tools)\//.test(path) && !seen.has(path) && existsSync(path)) {
      seen.add(path);
      for (const server of serversBehind(path, seen)) found.add(server);
    }
  }
  return found;
}
