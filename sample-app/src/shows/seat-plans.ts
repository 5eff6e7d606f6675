import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Injectable, NotFoundException } from '@nestjs/common';
import { settings } from '../settings.js';
import type { SeatPlan } from './show.interface.js';

/** The seat plan of every show, each in a plain file. */
@Injectable()
export class SeatPlans {
  async read(show: string): Promise<SeatPlan> {
    const plan = await this.find(show);
    if (plan === undefined) throw new NotFoundException(`No show '${show}': open it with PUT /shows/${show}`);
    return plan;
  }

  async find(show: string): Promise<SeatPlan | undefined> {
    try {
      return JSON.parse(await readFile(fileOf(show), 'utf8')) as SeatPlan;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /**
   * Replaces the plan atomically, so that no process reads half a file. But changes that other processes have written since
   * this plan was read are lost: the lock prevents that.
   */
  async write(show: string, plan: SeatPlan): Promise<void> {
    await mkdir(settings.dataDirectory, { recursive: true });
    const draft = `${fileOf(show)}.${randomUUID()}`;
    await writeFile(draft, JSON.stringify(plan));
    await rename(draft, fileOf(show));
  }
}

function fileOf(show: string): string {
  return join(settings.dataDirectory, `${show}.seats.json`);
}
