import { Controller, Inject, Param, Post } from '@nestjs/common';
import { Locked } from 'nestjs-locked';
import { OrdersService, type Payment } from './orders.service';

// esbuild emits no type metadata for Nest, so constructors name their dependencies.
@Controller('orders')
export class OrdersController {
  constructor(@Inject(OrdersService) private readonly orders: OrdersService) {}

  @Post(':id/payment')
  @Locked('order:{0}', { ttl: 30_000, wait: 10_000 })
  pay(@Param('id') id: string): Promise<Payment> {
    return this.orders.pay(id);
  }
}
