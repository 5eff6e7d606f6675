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

const READ_INTERVAL_MS = 500;
const READ_AFTER_EVENT_MS = 100;
const TIMEOUT_MS = 1_000;

/** Everything the page shows except the events: the current state in the files and in ZooKeeper. */
export interface LiveSnapshot {
  readonly owner: string;
  readonly connection: ConnectionState;
  readonly shows: readonly ShowReport[];
  readonly printer: PrinterReport;
  /** Null if ZooKeeper does not respond. */
  readonly locks: readonly LockSnapshot[] | null;
}

@Injectable()
export class LiveState {
  /** Emits the state as JSON whenever it changes; all pages share one subscription. */
  readonly changes$: Observable<string>;

  constructor(
    private readonly locks: LockService,
    private readonly boxOffice: BoxOffice,
    private readonly printer: TicketPrinter,
  ) {
    // Events are only those of this process; polling finds what other processes do.
    this.changes$ = merge(
      locks.events$.pipe(auditTime(READ_AFTER_EVENT_MS)),
      interval(READ_INTERVAL_MS),
    ).pipe(
      startWith(null),
      exhaustMap(() => this.read()),
      map((state) => JSON.stringify(state, readable)),
      distinctUntilChanged(),
      shareReplay({ bufferSize: 1, refCount: true }),
    );
  }

  async read(): Promise<LiveSnapshot> {
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
    return Promise.race([snapshots, sleep(TIMEOUT_MS, null, { ref: false })]).catch(() => null);
  }
}
