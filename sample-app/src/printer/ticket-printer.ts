import { Injectable } from '@nestjs/common';
import { StaleFencingTokenError, type FencedWrite } from 'nestjs-locked';
import type { PrinterPage, PrinterReport } from './printer-page.interface.js';
import { PrinterPages } from './printer-pages.js';

const PAGES_SHOWN = 12;

/**
 * A resource that rejects stale writers: it remembers the highest fencing token it has seen and refuses smaller ones. A
 * lock cannot replace that: a process may be paused for a minute between its last check of the lock and its write.
 */
@Injectable()
export class TicketPrinter {
  constructor(private readonly pages: PrinterPages) {}

  /**
   * @param write the lock that the caller holds, or held
   * @throws StaleFencingTokenError if a later holder of the lock has printed before
   */
  async print(text: string, write: FencedWrite): Promise<PrinterPage> {
    const token = write.fencingToken;
    const page = await this.add((highest) => ({
      outcome: token < highest ? 'refused' : 'printed',
      text,
      fencingToken: String(token),
      highestToken: String(token < highest ? highest : token),
    }));
    if (page.outcome === 'refused')
      throw new StaleFencingTokenError(write, { newest: BigInt(page.highestToken) });
    return page;
  }

  /** Forgets all tokens but this one: a new ZooKeeper starts with small tokens. */
  reset(token: bigint): Promise<PrinterPage> {
    const text = 'reset';
    return this.add(() => ({
      outcome: 'reset',
      text,
      fencingToken: String(token),
      highestToken: String(token),
    }));
  }

  async report(): Promise<PrinterReport> {
    const all = await this.pages.all();
    const pages = all.slice(all.findLastIndex(({ outcome }) => outcome === 'reset') + 1);
    const count = (wanted: PrinterPage['outcome']) =>
      pages.filter(({ outcome }) => outcome === wanted).length;
    return {
      highestToken: all.at(-1)?.highestToken ?? '0',
      printed: count('printed'),
      refused: count('refused'),
      pages: pages.slice(-PAGES_SHOWN).toReversed(),
    };
  }

  /** The decision and its record are one step: if another process comes between, decide again on what it has left. */
  private async add(decide: (highest: bigint) => Omit<PrinterPage, 'number' | 'pid'>): Promise<PrinterPage> {
    for (;;) {
      const last = await this.pages.last();
      const decision = decide(BigInt(last?.highestToken ?? 0));
      const page = { number: (last?.number ?? 0) + 1, pid: process.pid, ...decision };
      if (await this.pages.claim(page)) return page;
    }
  }
}
