import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileJava } from './compile-java.js';
import { CURATOR_PROGRAMS, javaWithCurator, PROGRAMS } from './installations.js';

let directory: string | undefined;

/** Compiles the foreign clients that use Curator, once per run. */
export async function compilePrograms(): Promise<void> {
  const found = javaWithCurator();
  if (found === undefined || process.env[CURATOR_PROGRAMS] !== undefined) return;
  directory = await mkdtemp(join(tmpdir(), 'curator-programs-'));
  const sources = (await readdir(PROGRAMS)).filter((name) => name.endsWith('.java'));
  await compileJava(found, directory, ...sources.map((name) => join(PROGRAMS, name)));
  process.env[CURATOR_PROGRAMS] = directory;
}

export async function removePrograms(): Promise<void> {
  if (directory !== undefined) await rm(directory, { recursive: true, force: true });
}
