import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { settings } from '../settings.js';
import type { PrinterPage } from './printer-page.interface.js';

const DIGITS = 6;

/** The printer's log: numbered files, each written once, by the first process that claims its number. */
@Injectable()
export class PrinterPages {
  private readonly directory = join(settings.dataDirectory, 'printer');

  /** All pages, oldest first. */
  async all(): Promise<PrinterPage[]> {
    return Promise.all((await this.names()).map((name) => this.read(name)));
  }

  async last(): Promise<PrinterPage | undefined> {
    const name = (await this.names()).at(-1);
    return name === undefined ? undefined : this.read(name);
  }

  /**
   * Adds a page; false if another process has taken its number. `link` checks that the name is free and creates it in one
   * atomic step.
   */
  async claim(page: PrinterPage): Promise<boolean> {
    await mkdir(this.directory, { recursive: true });
    const draft = join(this.directory, `draft-${randomUUID()}`);
    await writeFile(draft, JSON.stringify(page));
    try {
      await link(draft, join(this.directory, String(page.number).padStart(DIGITS, '0')));
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(draft);
    }
  }

  private async names(): Promise<string[]> {
    await mkdir(this.directory, { recursive: true });
    const names = await readdir(this.directory);
    return names.filter((name) => /^\d+$/.test(name)).sort();
  }

  private async read(name: string): Promise<PrinterPage> {
    return JSON.parse(await readFile(join(this.directory, name), 'utf8')) as PrinterPage;
  }
}
