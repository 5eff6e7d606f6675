import { Injectable, applyDecorators } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { expect, test } from 'vitest';
import { LockService, Locked } from '../../lib/index.js';
import { FakeLockService } from '../../lib/testing/index.js';

type Work = () => Promise<void>;

const steps: string[] = [];

function note(step: string): void {
  steps.push(`${step} ${LockService.current()?.isHeld() === true ? 'under the lock' : 'without the lock'}`);
}

/** Wraps the method, as decorators for transactions do. */
function Transactional() {
  return (_target: object, _name: string | symbol, descriptor: TypedPropertyDescriptor<Work>): void => {
    const work = descriptor.value!;
    descriptor.value = async function (this: unknown) {
      note('begins');
      await work.call(this);
      note('commits');
    };
  };
}

@Injectable()
class Stock {
  @Locked('stock')
  @Transactional()
  async above(): Promise<void> {}

  @applyDecorators(Transactional() as MethodDecorator, Locked('stock') as MethodDecorator)
  async last(): Promise<void> {}
}

test.each(['above', 'last'] as const)(
  'the lock contains the transaction if it is %s: above its decorator, or last in applyDecorators()',
  async (method) => {
    steps.length = 0;
    const module = await Test.createTestingModule({
      providers: [Stock, { provide: LockService, useClass: FakeLockService }],
    }).compile();
    await module.init();
    await module.get(Stock)[method]();
    await module.close();
    expect(steps).toEqual(['begins under the lock', 'commits under the lock']);
  },
);
