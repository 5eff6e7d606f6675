import { removeClassArchive, writeClassArchive } from '../support/class-archive.js';
import { compilePrograms, removePrograms } from './compile-programs.js';

/** Vitest calls this once for each project that uses real servers and foreign clients, before its specs. */
export async function setup(): Promise<void> {
  await Promise.all([writeClassArchive(), compilePrograms()]);
}

export async function teardown(): Promise<void> {
  await Promise.all([removeClassArchive(), removePrograms()]);
}
