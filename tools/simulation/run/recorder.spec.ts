import { describe, expect, it } from 'vitest';
import { tinyHistory } from '../../checker/tiny-history.js';
import { check } from '../../checker/verdict.js';
import { EXACT } from '../../history/precision.js';
import type { Journal } from '../../history/journal.interface.js';
import type { ProcessEvent } from '../../history/process-event.js';
import { Recorder } from './recorder.js';

/** Simulated time, and processes that are granted locks. */
class World {
  readonly recorder = new Recorder({ schedule: (at, run) => this.#agenda.push({ at, run }) });
  readonly #agenda: { readonly at: number; readonly run: () => void }[] = [];
  now = 0;
  /** How far a process is ahead of the world, within a callback in which it was descheduled. */
  readonly ahead = new Map<string, number>();

  journal(actor: string): Journal {
    return this.recorder.journal(actor, () => this.timeOf(actor));
  }

  timeOf(actor: string): number {
    return this.now + (this.ahead.get(actor) ?? 0);
  }

  /** Moves on, and runs what is due. */
  moveTo(now: number): void {
    for (const { at, run } of this.#agenda.splice(0).sort((a, b) => a.at - b.at)) {
      this.now = at;
      run();
    }
    this.now = now;
  }

  /** An attempt is granted a lock. Returns the end of its work. */
  grant(attempt: string, token: number, isHeld: () => boolean, resource = 'r'): () => void {
    const journal = this.journal(attempt.split('#')[0]!);
    journal.write({ what: 'asked', attempt, resource, verb: 'lock', mode: 'exclusive', ttl: 0, minHold: 0 });
    journal.writeHeld(isHeld, (held) => ({ what: 'granted', attempt, token: BigInt(token), held }));
    return () => {
      const kept = journal.writeHeld(isHeld, (held) => ({ what: 'releasing', attempt, held }));
      journal.write({ what: 'released', attempt, outcome: kept ? 'kept' : 'lost' });
    };
  }

  heldUntil(actor: string, end: number): () => boolean {
    return () => this.timeOf(actor) < end;
  }

  get checks(): string[] {
    return this.recorder.events.flatMap((event) =>
      event.what === 'checked' ? `${ms(event)} ${event.attempt} ${event.held}` : [],
    );
  }

  get violations(): string[] {
    const { events } = this.recorder;
    // These holds have no signals.
    const foreign = events.map(({ actor }) => actor);
    const history = tinyHistory({ events, precision: EXACT, foreign });
    const { violations } = check({ ...history, run: { ...history.run, emitsEvents: false } });
    return violations
      .filter(({ invariant }) => invariant === 'S1')
      .map(({ at }) => `S1 at ${Number(at) / 1e6}`);
  }
}

function ms({ at }: ProcessEvent): number {
  return Number(at) / 1e6;
}

describe('the holds of a resource are checked when another one is granted', () => {
  it('and an overlap is found that no process has noticed', () => {
    const world = new World();
    const end = world.grant('p1.1#1', 1, world.heldUntil('p1.1', 100.3));
    world.moveTo(100.25);
    world.grant('p2.1#1', 2, () => true)();
    world.moveTo(5_000);
    end();

    expect(world.checks).toContain('100.25 p1.1#1 true');
    expect(world.violations).toEqual(['S1 at 100.25']);
  });

  it('and a hold that has ended in time is no overlap, although its work goes on', () => {
    const world = new World();
    const end = world.grant('p1.1#1', 1, world.heldUntil('p1.1', 100.2));
    world.moveTo(100.25);
    world.grant('p2.1#1', 2, () => true)();
    world.moveTo(5_000);
    end();

    expect(world.checks).toContain('100.25 p1.1#1 false');
    expect(world.violations).toEqual([]);
  });

  it('but not those of other resources, nor those of processes that have ended', () => {
    const world = new World();
    world.grant('p1.1#1', 1, () => true, 'other');
    world.grant('p3.1#1', 1, () => true);
    world.moveTo(50);
    world.recorder.ended('p3.1');
    world.moveTo(100);
    world.grant('p2.1#1', 2, () => true)();

    expect(world.checks).toEqual([]);
    expect(world.violations).toEqual([]);
  });

  it.each([
    [103, []],
    [107, ['S1 at 105']],
  ])(
    'and checked again at the time of a grant by a process that was descheduled, %d',
    (validTo, expected) => {
      const world = new World();
      world.grant('p1.1#1', 1, world.heldUntil('p1.1', validTo));
      world.moveTo(100);
      world.ahead.set('p2.1', 5);
      const end = world.grant('p2.1#1', 2, () => true);
      world.ahead.clear();
      world.moveTo(200);
      end();

      expect(world.violations).toEqual(expected);
    },
  );
});

describe('on demand, all open holds are checked', () => {
  it('and a lost hold that claims to be valid again is found, with its overlap', () => {
    const world = new World();
    let held = true;
    world.grant('p1.1#1', 1, () => held);
    held = false;
    world.moveTo(10);
    const end = world.grant('p2.1#1', 2, () => true);
    held = true;
    world.moveTo(11);
    world.recorder.checkAll();
    held = false;
    world.moveTo(20);
    end();

    expect(world.violations).toEqual(['S1 at 10', 'S1 at 11']);
  });

  it('and of many checks, the last that finds a hold valid and the first that does not are recorded', () => {
    const world = new World();
    world.grant('p1.1#1', 1, world.heldUntil('p1.1', 30));
    const end = world.grant('p2.1#1', 2, () => true);
    for (let at = 1; at <= 50; at += 1) {
      world.moveTo(at);
      world.recorder.checkAll();
    }
    end();

    expect(world.checks).toEqual(['29 p1.1#1 true', '30 p1.1#1 false', '50 p2.1#1 true']);
  });
});

it('what a process sees comes after what was seen before it, also when all has one time', () => {
  const world = new World();
  let held = true;
  const isHeld = (): boolean => held;
  const end = world.grant('p1.1#1', 1, isHeld);
  world.moveTo(10);
  world.recorder.checkAll();
  held = false;
  world.journal('p1.1').writeHeld(isHeld, (valid) => ({ what: 'checked', attempt: 'p1.1#1', held: valid }));
  end();

  expect(world.checks).toEqual(['10 p1.1#1 true', '10 p1.1#1 false']);
  expect(world.violations).toEqual([]);
});

it('a process that is killed while it asks about its lock does not learn that it has lost it', () => {
  const world = new World();
  let held = true;
  world.grant('p1.1#1', 1, () => held);
  world.moveTo(10);
  world.recorder.checkAll();
  const descheduled = (): boolean => {
    world.ahead.set('p1.1', 100);
    held = false;
    return held;
  };
  world
    .journal('p1.1')
    .writeHeld(descheduled, (valid) => ({ what: 'releasing', attempt: 'p1.1#1', held: valid }));
  world.moveTo(50);
  world.recorder.killed('p1.1', 50, 40);

  expect(world.recorder.events.map(({ what }) => what)).toEqual(['asked', 'granted', 'checked', 'lagged']);
});

it('a check does not make the observed process act, while its own does', async () => {
  const world = new World();
  let reactions = 0;
  const overdue = (): boolean => {
    queueMicrotask(() => (reactions += 1));
    return false;
  };
  world.grant('p1.1#1', 1, overdue);
  await Promise.resolve();
  world.grant('p2.1#1', 2, () => true);
  world.recorder.checkAll();
  await Promise.resolve();

  expect(reactions).toBe(1);
});

it('the events of all processes are in time order, with the time as each process sees it', () => {
  const world = new World();
  world.ahead.set('p1.1', 7.0000004);
  world.journal('p1.1').write({ what: 'warned', detail: 'first written' });
  world.moveTo(3.25);
  world.journal('p2.1').write({ what: 'exited' });

  expect(world.recorder.events).toEqual([
    { at: 3_250_000n, actor: 'p2.1', what: 'exited' },
    { at: 7_000_000n, actor: 'p1.1', what: 'warned', detail: 'first written' },
  ]);
});

it('tells once that the lock of a resource is being released', () => {
  const world = new World();
  const released: string[] = [];
  world.recorder.onceReleased('r', () => released.push('r'));
  world.grant('p1.1#1', 1, () => true, 'other')();
  const end = world.grant('p1.1#2', 2, () => true);
  expect(released).toEqual([]);
  end();
  world.grant('p1.1#3', 3, () => true)();
  expect(released).toEqual(['r']);
});
