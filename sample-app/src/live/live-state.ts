import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LockService, type ConnectionState, type LockSnapshot } from 'nestjs-locked';
import {
  Observable,
  auditTime,
  distinctUntilChanged,
  exhaustMap,
  interval,
  map,
  merge,
  shareReplay,
  startWith,
} from 'rxjs';
import type { PrinterReport } from '../printer/printer-page.interface.js';
import { TicketPrinter } from '../printer/ticket-printer.js';
import { BoxOffice } from '../shows/box-office.js';
import type { ShowReport } from '../shows/show.interface.js';
import { readable } from './readable.js';

const LOOK_EVERY_MS = 500;
const LOOK_AFTER_EVENT_MS = 100;
const PATIENCE_MS = 1_000;

/** Everything the page shows beside the events, as it is now in the files and in ZooKeeper. */
export interface BoardState {
  readonly owner: string;
  readonly connection: ConnectionState;
  readonly shows: readonly ShowReport[];
  readonly printer: PrinterReport;
  /** Null if ZooKeeper does not answer. */
  readonly locks: readonly LockSnapshot[] | null;
}

@Injectable()
export class Board {
  /** The state as JSON, whenever it has changed; looked up once for all pages. */
  readonly changes$: Observable<string>;

  constructor(
    private readonly locks: LockService,
    private readonly boxOffice: BoxOffice,
    private readonly printer: TicketPrinter,
  ) {
    // Events are those of this process; what the others do shows at the next look.
    this.changes$ = merge(locks.events$.pipe(auditTime(LOOK_AFTER_EVENT_MS)), interval(LOOK_EVERY_MS)).pipe(
      startWith(null),
      exhaustMap(() => this.look()),
      map((state) => JSON.stringify(state, readable)),
      distinctUntilChanged(),
      shareReplay({ bufferSize: 1, refCount: true }),
    );
  }

  async look(): Promise<BoardState> {
    const { owner, state: connection } = this.locks;
    const [shows, printer, locks] = await Promise.all([
      Promise.all(['matinee', 'evening'].map((show) => this.boxOffice.report(show))),
      this.printer.report(),
      connection === 'connected' ? this.inspect(['show:evening', 'printer']) : null,
    ]);
    return { owner, connection, shows, printer, locks };
  }

  private async inspect(resources: readonly string[]): Promise<LockSnapshot[] | null> {
    const snapshots = Promise.all(resources.map((resource) => this.locks.inspect(resource)));
    return Promise.race([snapshots, sleep(PATIENCE_MS, null, { ref: false })]).catch(() => null);
  }
}
