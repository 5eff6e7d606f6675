import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConflictException, Injectable } from '@nestjs/common';
import { LockService, Locked } from 'nestjs-locked';
import { Journal } from './journal.js';
import { SeatPlans } from './seat-plans.js';
import type { ShowReport, Ticket, Visit } from './show.interface.js';

/** The duration of a payment. A real one takes much longer, which makes overselling more likely. */
const PAYMENT_MS = 10;

@Injectable()
export class BoxOffice {
  constructor(
    private readonly plans: SeatPlans,
    private readonly journal: Journal,
  ) {}

  /** Sells the next free seat. Does not lock: that is up to the caller. */
  async sell(show: string): Promise<Ticket> {
    const customer = randomUUID().slice(0, 8);
    const fencingToken = LockService.current()?.fencingToken;
    const visit = { customer, pid: process.pid, fencingToken: fencingToken?.toString() };

    const plan = await this.plans.read(show);
    if (plan.customers.length >= plan.capacity) {
      await this.journal.add(show, { outcome: 'soldOut', ...visit });
      throw new ConflictException(`The show '${show}' is sold out`);
    }
    await sleep(PAYMENT_MS);
    const customers = [...plan.customers, customer];
    await this.plans.write(show, { ...plan, customers });

    const seat = customers.length;
    await this.journal.add(show, { outcome: 'sold', seat, ...visit });
    return { show, seat, customer, fencingToken };
  }

  /** Opens or reopens a show with all seats free. */
  @Locked('show:{0}')
  async open(show: string, capacity: number): Promise<void> {
    await this.begin(show, capacity);
  }

  /** Does not call `open`: a locked method that calls another one with the same key would wait for itself. */
  @Locked('show:{0}')
  async openUnlessOpen(show: string, capacity: number): Promise<void> {
    if ((await this.plans.find(show)) === undefined) await this.begin(show, capacity);
  }

  async report(show: string): Promise<ShowReport> {
    const { capacity, customers } = await this.plans.read(show);
    const visits = await this.journal.read(show);
    const seats = visits.flatMap(({ seat }) => seat ?? []);
    const sold = seats.length;
    return {
      show,
      capacity,
      sold,
      oversold: Math.max(0, sold - capacity),
      lost: Math.max(0, sold - customers.length),
      turnedAway: visits.length - sold,
      ticketsPerSeat: Array.from({ length: capacity }, (_, index) => count(seats, index + 1)),
    };
  }

  visits(show: string): Promise<Visit[]> {
    return this.journal.read(show);
  }

  private async begin(show: string, capacity: number): Promise<void> {
    await this.journal.clear(show);
    await this.plans.write(show, { capacity, customers: [] });
  }
}

function count(seats: readonly number[], wanted: number): number {
  return seats.filter((seat) => seat === wanted).length;
}
