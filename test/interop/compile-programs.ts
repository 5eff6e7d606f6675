import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileJava } from './compile-java.js';
import { CURATOR_PROGRAMS, javaWithCurator, PROGRAMS } from './installations.js';

let directory: string | undefined;

/** Vitest calls this once for each project with foreign clients, before its specs. Compiles those that use Curator. */
export async function setup(): Promise<void> {
  const found = javaWithCurator();
  if (found === undefined || process.env[CURATOR_PROGRAMS] !== undefined) return;
  directory = await mkdtemp(join(tmpdir(), 'curator-programs-'));
  const sources = (await readdir(PROGRAMS)).filter((name) => name.endsWith('.java'));
  compileJava(found, directory, ...sources.map((name) => join(PROGRAMS, name)));
  process.env[CURATOR_PROGRAMS] = directory;
}

export async function teardown(): Promise<void> {
  if (directory !== undefined) await rm(directory, { recursive: true, force: true });
}
