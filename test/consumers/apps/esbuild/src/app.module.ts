import { Module } from '@nestjs/common';
import { LockModule } from 'nestjs-locked';
import { OrdersController } from './orders.controller';
import { OrdersService } from './orders.service';

@Module({
  imports: [LockModule.forRoot({ connectString: process.env.ZOOKEEPER ?? 'localhost:2181' })],
  controllers: [OrdersController],
  providers: [OrdersService],
})
export class AppModule {}
