import { join } from 'node:path';
import type { GuardedWrite } from '../../history/run-history.js';
import { JournalFile } from '../../history/journal-file.js';
import type { GuardMessage, GuardSettings } from '../worker/guard-protocol.js';
import { Child } from './child.js';

/** The resource that all holders write to, in a process that no fault affects. */
export class GuardedResource {
  private constructor(
    private readonly child: Child,
    private readonly journal: string,
    readonly port: number,
  ) {}

  static async open(directory: string): Promise<GuardedResource> {
    const settings: GuardSettings = { journal: join(directory, 'guard.jsonl') };
    const { child, first } = await Child.start<GuardMessage>('guard', settings, () => {});
    return new GuardedResource(child, settings.journal, first.port);
  }

  /** @throws Error if the process has exited: writes since then are not recorded */
  async history(): Promise<GuardedWrite[]> {
    if (!this.child.running) throw new Error('The guarded resource exited during the run.');
    return JournalFile.read<GuardedWrite>(this.journal);
  }

  stop(): Promise<void> {
    return this.child.kill();
  }
}
