import { expect, it } from 'vitest';
import { ManualClock } from '../../lib/testing/time/manual-clock.js';
import type { NewProcessEvent } from '../history/process-event.js';
import type { AttemptPlan } from './attempt-plan.js';
import { CandidateRun } from './candidate-run.js';
import type { Candidate, CandidateName, TestedHold } from './tested-locks.interface.js';

const PLAN: AttemptPlan = {
  pause: 0,
  resource: 'r',
  verb: 'lead',
  namedBy: 'owner',
  hold: 100,
  heedsSignal: true,
  ending: 'release',
  staleAfter: 40,
};

/** An election with one candidate. */
class FakeElection {
  readonly clock = new ManualClock(() => 0);
  name: CandidateName | undefined;
  candidate: Candidate | undefined;
  #leading: AbortController | undefined;
  #isHeld = true;

  readonly add = (_resource: string, name: CandidateName, candidate: Candidate): (() => void) => {
    this.name = name;
    this.candidate = candidate;
    return () => this.#leading?.abort(new Error('left'));
  };

  elect(): void {
    const leading = new AbortController();
    this.#leading = leading;
    this.#isHeld = true;
    const held: TestedHold = {
      resource: 'r',
      fencingToken: 7n,
      signal: leading.signal,
      isHeld: () => this.#isHeld,
      assertHeld: () => {},
      extend: () => {},
      release: async () => true,
      [Symbol.asyncDispose]: async () => {},
    };
    void this.candidate?.leads(held);
  }

  lose(): void {
    this.#isHeld = false;
    this.candidate?.follows();
    this.#leading?.abort(new Error('lost'));
  }

  at(ms: number, act: () => void): void {
    this.clock.setTimer(act, ms);
  }
}

/** What a candidate has recorded, with the times in ms. */
async function run(plan: Partial<AttemptPlan>, prepare: (election: FakeElection) => void): Promise<string[]> {
  const election = new FakeElection();
  const { clock } = election;
  const lines: string[] = [];
  const write = (event: NewProcessEvent): void => {
    const attempt = 'attempt' in event ? event.attempt : '';
    const more = [
      ...('held' in event ? [event.held] : []),
      ...('outcome' in event ? [event.outcome] : []),
      ...(event.what === 'ended' && event.detail !== undefined ? [event.detail] : []),
    ];
    lines.push([clock.monotonic(), attempt, event.what, ...more].join(' '));
  };
  const context = {
    locks: {} as never,
    clock,
    guard: { write: async () => true },
    journal: {
      write,
      writeHeld: (isHeld: () => boolean, event: (held: boolean) => NewProcessEvent) => {
        const held = isHeld();
        write(event(held));
        return held;
      },
    },
    defaults: { wait: Infinity, ttl: 0 },
    reportHold: () => {},
  };
  prepare(election);
  let ended = false;
  const running = new CandidateRun('p1.1#1', { ...PLAN, ...plan }, context, election.add)
    .run()
    .finally(() => (ended = true));
  expect(election.name?.owner).toBe('p1.1#1~');
  await clock.runUntil(() => ended);
  await running;
  return lines;
}

it('records each leadership as an attempt of its own, until it leaves', async () => {
  const lines = await run({}, (election) => {
    election.at(10, () => election.elect());
    election.at(30, () => election.lose());
    election.at(60, () => election.elect());
  });

  expect(lines).toEqual([
    '0 p1.1#1~1 asked',
    '10 p1.1#1~1 granted true',
    '30 p1.1#1~1 signalled',
    '30 p1.1#1~1 releasing false',
    '30 p1.1#1~1 released lost',
    '30 p1.1#1~2 asked',
    '60 p1.1#1~2 granted true',
    '110 p1.1#1~2 signalled',
    '110 p1.1#1~2 releasing true',
    '110 p1.1#1~2 released disposed',
  ]);
});

it('leaves if it has not led in time', async () => {
  expect(await run({ wait: 50 }, () => {})).toEqual(['0 p1.1#1~1 asked', '50 p1.1#1~1 ended aborted']);
});

it('ends with its service', async () => {
  const lines = await run({}, (election) => election.at(20, () => election.candidate?.ended()));

  expect(lines).toEqual(['0 p1.1#1~1 asked', '20 p1.1#1~1 ended closed']);
});

it('reports that it leads again before its work has ended', async () => {
  const lines = await run({ works: true, heedsSignal: false }, (election) => {
    election.at(10, () => election.elect());
    election.at(30, () => election.lose());
    election.at(50, () => election.elect());
    election.at(200, () => election.candidate?.ended());
  });

  expect(lines).toContain('50 p1.1#1~1 ended untyped leads before its last leadership has ended');
});
