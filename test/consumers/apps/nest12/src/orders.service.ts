import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LockService } from 'nestjs-locked';

export interface Payment {
  readonly order: string;
  readonly token: string;
}

@Injectable()
export class OrdersService {
  private readonly beingPaid = new Set<string>();

  constructor(private readonly locks: LockService) {}

  async pay(order: string): Promise<Payment> {
    if (this.beingPaid.has(order)) throw new Error(`Order ${order} is being paid already`);
    this.beingPaid.add(order);
    await this.locks.withLock('ledger', { wait: 10_000 }, () => sleep(50));
    this.beingPaid.delete(order);
    return { order, token: String(LockService.current()?.fencingToken) };
  }
}
