import { describe, expect, it } from 'vitest';
import { Host } from './spec-host.js';

describe('an event loop runs one callback at a time', () => {
  it('and each of them costs time', async () => {
    const { loop, scheduler, at, finished } = new Host('cost', { cpuTime: { min: 2, max: 3 } });
    const times: number[] = [];
    at(1, () => {
      for (let task = 0; task < 3; task++) loop.post(() => times.push(scheduler.now));
    });
    await finished();
    const [first, second, third] = times as [number, number, number];
    expect(first).toBe(1);
    for (const cost of [second - first, third - second]) {
      expect(cost).toBeGreaterThanOrEqual(2);
      expect(cost).toBeLessThan(3);
    }
  });

  it('in the order of libuv: timers, sockets that have arrived, immediates queued before, timers', async () => {
    const { loop, at, note, finished } = new Host();
    at(1, () => {
      loop.post(() => {
        loop.clock.setTimer(note('timer'), 1);
        loop.post(note('socket of the next turn'));
        loop.clock.nextTurn(() => {
          note('immediate')();
          loop.clock.nextTurn(note('immediate of the next turn'));
        });
        loop.block(5);
      });
      loop.post(note('socket'));
    });
    expect(await finished()).toEqual([
      'socket',
      'immediate',
      'timer',
      'socket of the next turn',
      'immediate of the next turn',
    ]);
  });

  it('and a callback includes the microtasks and ticks that it causes', async () => {
    const { loop, note, finished } = new Host();
    loop.run(() => {
      void Promise.resolve().then(note('microtask'));
      process.nextTick(note('tick'));
    });
    loop.run(note('second'));
    expect(await finished()).toEqual(['tick', 'microtask', 'second']);
  });
});

describe('a thread that stops', () => {
  it('runs nothing until the last of several pauses has ended', async () => {
    const { loop, at, note, finished } = new Host();
    at(10, () => [loop, loop].forEach((host) => host.pause()));
    at(20, () => loop.post(note('socket')));
    at(30, () => loop.resume());
    at(40, note('first end'));
    at(50, () => loop.resume());
    expect(await finished()).toEqual(['first end', 'socket']);
  });

  it('runs due timers before the sockets that have piled up during a pause', async () => {
    const { loop, scheduler, at, note, finished } = new Host();
    loop.run(() => void loop.clock.setTimer(note('timer'), 100));
    at(10, () => loop.pause());
    at(20, () => loop.post(note('socket')));
    at(500, () => {
      note('resumed')();
      loop.resume();
    });
    expect(await finished()).toEqual(['resumed', 'timer', 'socket']);
    expect(scheduler.now).toBeLessThan(501);
  });

  it('does the same after the loop was blocked', async () => {
    const { loop, at, note, finished } = new Host();
    loop.run(() => void loop.clock.setTimer(note('timer'), 100));
    at(10, () => loop.block(490));
    at(20, () => loop.post(note('socket')));
    at(499, note('end of the block'));
    expect(await finished()).toEqual(['end of the block', 'timer', 'socket']);
  });

  it('sees a socket event before a timer of the same moment if that has woken it up', async () => {
    const orders = new Set<string>();
    for (let seed = 0; seed < 20; seed++) {
      const run = async (timerAt?: number): Promise<Host> => {
        const host = new Host(`moment ${seed}`);
        host.loop.run(() => void host.loop.clock.setTimer(host.note(`timer`), 100));
        if (timerAt !== undefined) host.at(timerAt, () => host.loop.post(host.note('socket')));
        await host.scheduler.run(() => host.seen.includes('timer'));
        return host;
      };
      const { scheduler } = await run();
      const host = await run(scheduler.now);
      orders.add((await host.finished()).join());
    }
    expect(orders).toEqual(new Set(['socket,timer', 'timer,socket']));
  });

  it('finds that time has passed between two reads of the clock within a callback', async () => {
    const { loop, scheduler, at, finished } = new Host();
    const { clock } = loop;
    const reads: number[] = [];
    let next: number | undefined;
    at(10, () => {
      loop.stallWithin(1_000, 1);
      loop.post(() => {
        reads.push(clock.monotonic());
        void Promise.resolve().then(() => reads.push(clock.elapsed(), clock.monotonic(), loop.now));
      });
      loop.post(() => (next = scheduler.now));
    });
    await finished();
    expect(reads).toEqual([10, 1_010, 1_010, 1_010]);
    expect(next).toBeGreaterThan(1_010);
  });

  it.each<[how: string, stop: (host: Host) => void]>([
    ['paused', ({ loop }) => loop.pause()],
    ['blocked', ({ loop }) => loop.block(80)],
    [
      'descheduled within a callback',
      ({ loop }) => {
        loop.stallWithin(80);
        loop.post(() => void loop.clock.monotonic());
      },
    ],
  ])('tells how long it has been %s by now', async (_how, stop) => {
    const host = new Host();
    const times: number[] = [];
    const tell = (): void => void times.push(host.loop.standsStillFor);
    host.at(5, tell);
    host.at(10, () => stop(host));
    host.at(50, tell);
    host.at(90, () => host.loop.resume());
    host.at(95, tell);
    await host.finished();
    expect(times).toEqual([0, 40, 0]);
  });

  it('is not stopped by a read from outside, and its clock never goes back', async () => {
    const { loop, at, finished } = new Host();
    const reads: number[] = [];
    const read = (): void => void reads.push(loop.clock.monotonic());
    loop.run(() => {});
    at(10, () => loop.stallWithin(100));
    at(20, read);
    at(30, () => loop.post(read));
    for (const time of [40, 80, 129, 140]) at(time, read);
    await finished();
    expect(reads).toEqual([20, 130, 130, 130, 130, 140]);
  });
});

it('a killed host runs nothing more, and says so once', async () => {
  const { loop, at, note, finished } = new Host();
  loop.onKill(note('killed'));
  loop.run(() => {
    loop.clock.setTimer(note('timer'), 100);
  });
  at(10, () => {
    loop.post(note('socket'));
    loop.clock.nextTurn(note('immediate'));
    loop.kill();
    loop.kill();
    loop.resume();
    loop.post(note('late socket'));
  });
  expect(await finished()).toEqual(['killed']);
  expect(loop.state).toBe('dead');
});
