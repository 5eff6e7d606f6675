import { expect, it } from 'vitest';
import { EventLoop } from '../world/event-loop.js';
import { Random } from '../world/random.js';
import { Scheduler } from '../world/scheduler.js';
import { DEFAULT_SETTINGS } from './ensemble-settings.js';
import { Leader } from './leader.js';
import { Replica } from './replica.js';
import { TransactionLog } from './transaction-log.js';

it('a leader that has given up turns away a follower that was on its way', () => {
  const random = new Random('leader');
  const { clock } = new EventLoop({ name: 's1', scheduler: new Scheduler(random), random });
  const log = new TransactionLog();
  const options = { number: 1, clock, random, settings: DEFAULT_SETTINGS, log };
  const owner = { serve: () => {}, abandon: () => {}, sessionExpired: () => {}, committed: () => {} };
  const leader = new Leader({ ...options, ...owner, replica: new Replica(options) }, 1n, 2);
  leader.start();
  leader.stop();

  const told: string[] = [];
  const peer = { send: ({ kind }: { kind: string }) => told.push(kind), close: () => told.push('closed') };
  leader.received(2, peer, { kind: 'join', zxids: [] });

  expect(told).toEqual(['closed']);
});
