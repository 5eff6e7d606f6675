import { Module } from '@nestjs/common';
import { LockModule } from '../../lib/index.js';
import { Bank, Payments } from './payments.js';

/** The application that docs/testing.md tests. */
@Module({
  imports: [LockModule.forRoot({ connectString: 'localhost:1' })],
  providers: [Payments, Bank],
})
export class AppModule {}
