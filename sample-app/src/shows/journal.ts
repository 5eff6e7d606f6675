import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { settings } from '../settings.js';
import type { Visit } from './show.interface.js';

/**
 * The sales of all processes, in order, in an append-only file: no entry gets lost, with or without a lock. It shows which
 * sales the seat plan has lost.
 */
@Injectable()
export class Journal {
  async add(show: string, visit: Visit): Promise<void> {
    await appendFile(fileOf(show), `${JSON.stringify(visit)}\n`);
  }

  async read(show: string): Promise<Visit[]> {
    const lines = (await readFile(fileOf(show), 'utf8')).split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Visit);
  }

  async clear(show: string): Promise<void> {
    await mkdir(settings.dataDirectory, { recursive: true });
    await writeFile(fileOf(show), '');
  }
}

function fileOf(show: string): string {
  return join(settings.dataDirectory, `${show}.journal`);
}
