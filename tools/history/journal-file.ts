import { closeSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fromJson, toJson } from './history-json.js';

/**
 * A file with one JSON value per line. The kernel has each entry before `write` returns: SIGKILL loses no entry, and an
 * event is recorded before any other process can see its effects.
 */
export class JournalFile<T> {
  readonly #file: number;

  constructor(path: string) {
    this.#file = openSync(path, 'a');
  }

  write(entry: T): void {
    writeSync(this.#file, `${toJson(entry)}\n`);
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Resolves with all entries of a journal; drops a last line that is incomplete because of a kill. */
  static async read<T>(path: string): Promise<T[]> {
    const text = await readFile(path, 'utf8').catch(() => '');
    const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
    return lines.filter((line) => line !== '').map((line) => fromJson(line) as T);
  }
}
