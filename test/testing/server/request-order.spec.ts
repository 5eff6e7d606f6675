import { expect, test } from 'vitest';
import { RequestOrder } from '../../../lib/testing/server/request-order.js';

test('what follows a change waits until the change is answered', () => {
  const order = new RequestOrder();
  const ran: string[] = [];
  order.push(() => ran.push('read before'));
  const first = order.reserve();
  const second = order.reserve();
  order.push(() => ran.push('read after'));
  second(() => ran.push('second change'));
  expect(ran).toEqual(['read before']);
  first(() => ran.push('first change'));
  expect(ran).toEqual(['read before', 'first change', 'second change', 'read after']);
});

test('nothing is answered after the end of the connection', () => {
  const order = new RequestOrder();
  const ran: string[] = [];
  const change = order.reserve();
  order.push(() => ran.push('read'));
  order.close();
  change(() => ran.push('change'));
  expect(ran).toEqual([]);
});
