import { Injectable } from '@nestjs/common';
import { LockService, Locked } from '../../lib/index.js';

/** The service that docs/testing.md shows and tests. */

@Injectable()
export class Bank {
  async charge(_orderId: string, _options: { signal: AbortSignal; fencingToken: bigint }): Promise<void> {}
}

@Injectable()
export class Payments {
  constructor(private readonly bank: Bank) {}

  @Locked('order:{0}', { wait: 0 })
  async pay(orderId: string): Promise<void> {
    const { signal, fencingToken } = LockService.currentOrThrow();
    await this.bank.charge(orderId, { signal, fencingToken });
  }
}
