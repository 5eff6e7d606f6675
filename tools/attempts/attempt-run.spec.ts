import { expect, it } from 'vitest';
import { LockLostError } from '../../lib/locking/errors/lock-lost.error.js';
import { LockTimeoutError } from '../../lib/locking/errors/lock-timeout.error.js';
import { ManualClock } from '../../lib/testing/time/manual-clock.js';
import type { NewProcessEvent } from '../history/process-event.js';
import type { AttemptContext } from './attempt-context.interface.js';
import type { AttemptPlan } from './attempt-plan.js';
import { AttemptRun } from './attempt-run.js';
import type {
  TestedGroup,
  TestedHeld,
  TestedHold,
  TestedLockOptions,
  TestedLocks,
} from './tested-locks.interface.js';

const NAME = 'p1.1#1';
const PLAN: AttemptPlan = {
  pause: 0,
  resource: 'r',
  verb: 'lock',
  namedBy: 'owner',
  hold: 100,
  heedsSignal: false,
  ending: 'release',
  staleAfter: 50,
};

class FakeHold implements TestedHold {
  readonly resource: string = 'r';
  readonly fencingToken = 7n;
  readonly lost = new AbortController();
  readonly signal = this.lost.signal;
  #isReleased = false;

  /** @param isFreed whether its release has an effect */
  constructor(private readonly isFreed = true) {}

  isHeld(): boolean {
    return !this.signal.aborted && !this.#isReleased;
  }

  assertHeld(): void {
    this.signal.throwIfAborted();
  }

  extend(): void {
    if (!this.isHeld()) throw new LockLostError('r', 'released');
  }

  async release(): Promise<boolean> {
    const kept = this.isHeld();
    this.#isReleased = this.isFreed;
    return kept;
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

class FakeGroup extends FakeHold implements TestedGroup {
  member(): TestedHold {
    return this;
  }
}

/** Runs an attempt on virtual time; returns what it recorded and wrote, with the times in ms. */
async function run(
  plan: Partial<AttemptPlan>,
  lock: (options: TestedLockOptions, clock: ManualClock) => Promise<TestedHeld | null>,
): Promise<string[]> {
  const clock = new ManualClock(() => 0);
  const lines: string[] = [];
  const write = (event: NewProcessEvent | { what: string; held?: boolean }): void => {
    const held = 'held' in event ? [event.held] : [];
    const outcome = 'outcome' in event ? [event.outcome] : [];
    const attempt = 'attempt' in event && event.attempt !== NAME ? [event.attempt] : [];
    const around = 'nestedIn' in event ? [`in ${event.nestedIn}`] : [];
    lines.push([clock.monotonic(), ...attempt, event.what, ...held, ...outcome, ...around].join(' '));
  };
  const locks: TestedLocks = {
    lock: async (_resource, options) => (await lock(options, clock))!,
    tryLock: (_resource, options) => lock(options, clock),
    unlock: (held) => held.release(),
    withLock: async (_resource, options, work) => {
      const held = await lock(options, clock);
      await work(held!);
      await held!.release();
    },
  };
  const context: AttemptContext = {
    locks,
    clock,
    guard: {
      write: async ({ moment }) => {
        write({ what: `write '${moment}'` });
        return true;
      },
    },
    journal: {
      write,
      writeHeld: (isHeld, event) => {
        const held = isHeld();
        write(event(held));
        return held;
      },
    },
    sessionExpired: () => new Promise((resolve) => void clock.setTimer(resolve, 20)),
    defaults: { wait: Infinity, ttl: 0 },
    reportHold: () => {},
  };
  let ended = false;
  const running = new AttemptRun(NAME, { ...PLAN, ...plan }, context).run().finally(() => (ended = true));
  await clock.runUntil(() => ended);
  await running;
  return lines;
}

it('records a hold from its grant to its release, and writes under it and after it', async () => {
  expect(await run({}, async () => new FakeHold())).toEqual([
    '0 asked',
    '0 granted true',
    "0 write 'first'",
    '50 checked true',
    "50 write 'during'",
    '100 releasing true',
    '100 released kept',
    "100 write 'after'",
  ]);
});

it('records a hold that is valid after its release', async () => {
  const lines = await run({}, async () => new FakeHold(false));

  expect(lines.slice(-3)).toEqual(['100 released kept', '100 checked true', "100 write 'after'"]);
});

it('stops work that heeds the signal when the hold is lost, and writes once more later', async () => {
  const lines = await run({ heedsSignal: true, verb: 'withLock' }, async (_options, clock) => {
    const hold = new FakeHold();
    clock.setTimer(() => hold.lost.abort(new Error('lost')), 20);
    return hold;
  });

  expect(lines).toEqual([
    '0 asked',
    '0 granted true',
    "0 write 'first'",
    '20 signalled',
    '20 checked false',
    "20 write 'during'",
    '20 releasing false',
    '20 released kept',
    "20 write 'after'",
    "70 write 'stale'",
  ]);
});

it.each([
  ['the caller aborts', { abortAfter: 30 }, ['0 asked', '30 aborting', '30 ended aborted']],
  ['the lock is busy', { verb: 'tryLock' }, ['0 asked', '0 ended busy']],
] as const)('records why there is no hold: %s', async (_what, plan, expected) => {
  const lines = await run(plan, async ({ signal }) => {
    if ('verb' in plan) return null;
    return new Promise((_resolve, reject) =>
      signal!.addEventListener('abort', () => reject(signal!.reason as Error)),
    );
  });

  expect(lines).toEqual(expected);
});

it('records each of several locks as an attempt of its own, and tells the library one name for all of them', async () => {
  let owner: string | undefined;
  const lines = await run({ also: ['s'] }, async (options) => {
    owner = options.owner;
    return new FakeGroup();
  });

  expect(owner).toBe('p1.1#1/');
  expect(lines.filter((line) => !line.includes('write'))).toEqual([
    '0 p1.1#1/r asked',
    '0 p1.1#1/s asked',
    '0 p1.1#1/r granted true',
    '0 p1.1#1/s granted true',
    '50 p1.1#1/r checked true',
    '50 p1.1#1/s checked true',
    '100 p1.1#1/r releasing true',
    '100 p1.1#1/s releasing true',
    '100 p1.1#1/r released kept',
    '100 p1.1#1/s released kept',
  ]);
});

it('extends the hold in its work, once, and records whether it could', async () => {
  const extension = { after: 30, ttl: 200 };
  const extended = async (plan: Partial<AttemptPlan>, hold: FakeHold): Promise<string[]> =>
    (await run({ extension, ...plan }, async () => hold)).filter((line) => line.includes('exten'));
  const lost = new FakeHold();
  lost.lost.abort();

  expect(await extended({}, new FakeHold())).toEqual(['30 extending true', '30 extended']);
  expect(await extended({}, lost)).toEqual(['30 extending false']);
  expect(await extended({ hold: 20 }, new FakeHold())).toEqual([]);
});

it('makes a re-entrant call as soon as a session has expired, if it is planned for then', async () => {
  const nested = {
    verb: 'lock',
    hold: 0,
    heedsSignal: false,
    ending: 'release',
    outlives: false,
    atExpiry: true,
  } as const;
  const lines = await run({ verb: 'withLock', nested }, async () => new FakeHold());
  expect(lines).toContain('20 p1.1#1+ asked in p1.1#1');
  expect(lines).toContain('70 released kept');
});

it('makes a re-entrant call in the middle of the work, which may outlive it', async () => {
  const given: TestedLockOptions[] = [];
  const nested = { verb: 'lock', hold: 80, heedsSignal: false, ending: 'release', outlives: true } as const;
  const lines = await run({ verb: 'withLock', nested }, async (options) => {
    given.push(options);
    return new FakeHold();
  });

  expect(given.map(({ owner, reentrant }) => [owner, reentrant])).toEqual([
    ['p1.1#1', undefined],
    ['p1.1#1+', true],
  ]);
  expect(lines.filter((line) => !line.includes('write') && !line.includes('checked'))).toEqual([
    '0 asked',
    '0 granted true',
    '50 p1.1#1+ asked in p1.1#1',
    '50 p1.1#1+ granted true',
    '100 releasing true',
    '100 released kept',
    '130 p1.1#1+ releasing true',
    '130 p1.1#1+ released kept',
  ]);
});

it('asks for another lock in its work, and in that for its own one again', async () => {
  const call = { verb: 'withLock', hold: 0, heedsSignal: false, ending: 'release', outlives: false } as const;
  const nested = { ...call, resource: 's', nested: { ...call, resource: 'r' } };
  const lines = await run({ verb: 'withLock', nested }, async () => new FakeHold());

  expect(lines.filter((line) => line.includes('asked'))).toEqual([
    '0 asked',
    '50 p1.1#1+ asked',
    '50 p1.1#1++ asked in p1.1#1',
  ]);
});

it('releases one of several locks, and then all of them', async () => {
  const released: string[] = [];
  class Member extends FakeHold {
    constructor(override readonly resource: string) {
      super();
    }
    override async release(): Promise<boolean> {
      released.push(this.resource);
      return super.release();
    }
  }
  class Group extends Member implements TestedGroup {
    readonly #members = [new Member('r'), new Member('s')];

    member(resource: string): TestedHold {
      return this.#members.find((member) => member.resource === resource)!;
    }
  }
  const lines = await run({ also: ['s'], ending: 'apart' }, async () => new Group('all'));

  expect(released).toEqual(['s', 'all']);
  expect(lines.filter((line) => line.includes('released'))).toEqual([
    '100 p1.1#1/r released kept',
    '100 p1.1#1/s released kept',
  ]);
});

it('records a typed error by its type, and any other as untyped', async () => {
  const timedOut = run({}, () => Promise.reject(new LockTimeoutError('r', 5, undefined)));
  const untyped = run({}, () => Promise.reject(new TypeError('x')));

  expect(await Promise.all([timedOut, untyped])).toEqual([
    ['0 asked', '0 ended timedOut'],
    ['0 asked', '0 ended untyped'],
  ]);
});
