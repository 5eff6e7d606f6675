import { INestApplication } from '@nestjs/common';
import { Test, TestingModule } from '@nestjs/testing';
import { LockTesting, LockTestingModule } from 'nestjs-locked/testing';
import { AppModule } from './../src/app.module';

describe('Orders (e2e)', () => {
  let app: INestApplication;

  beforeEach(async () => {
    const module: TestingModule = await Test.createTestingModule({
      imports: [AppModule, LockTestingModule.forRoot()],
    }).compile();
    app = module.createNestApplication();
    await app.listen(0, '127.0.0.1');
  });

  afterEach(() => app.close());

  it('/orders/7/payment (POST), three requests concurrently', async () => {
    const url = `${await app.getUrl()}/orders/7/payment`;

    const answers = await Promise.all([1, 2, 3].map(() => fetch(url, { method: 'POST' })));

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(app.get(LockTesting).holds.filter(({ resource }) => resource === 'order:7')).toHaveLength(3);
  });
});
