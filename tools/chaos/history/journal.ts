import { closeSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fromJson, toJson } from './history-json.js';

/**
 * A file of one JSON value per line. Each is handed to the kernel before `write` returns: SIGKILL takes nothing that was
 * written, and an event is on record before anybody else can see what follows from it.
 */
export class Journal<T> {
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

  /** All entries of a journal; a last line that a kill tore is dropped. */
  static async read<T>(path: string): Promise<T[]> {
    const text = await readFile(path, 'utf8').catch(() => '');
    const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
    return lines.filter((line) => line !== '').map((line) => fromJson(line) as T);
  }
}
