import { Controller, Param, Post } from '@nestjs/common';
import { Locked } from 'nestjs-locked';
import { OrdersService, type Payment } from './orders.service.js';

@Controller('orders')
export class OrdersController {
  constructor(private readonly orders: OrdersService) {}

  @Post(':id/payment')
  @Locked('order:{0}', { ttl: 30_000, wait: 10_000 })
  pay(@Param('id') id: string): Promise<Payment> {
    return this.orders.pay(id);
  }
}
