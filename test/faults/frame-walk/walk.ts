import type { FaultAction } from '../../support/fault-proxy.js';
import { FaultRule } from '../../support/fault-rules.js';
import { eventually } from '../../support/eventually.js';
import type { Direction } from '../../support/zookeeper-frames.js';
import type { TestServer } from '../../support/test-server.js';
import { ProxiedLocks } from '../proxied-locks.js';
import { RESOURCE, type Scenario } from './scenarios.js';

/** The address of one frame in a conversation, and the fault to inject into it. */
export interface Step {
  readonly scenario: Scenario;
  readonly type: string;
  readonly direction: Direction;
  readonly occurrence: number;
  readonly action: FaultAction;
}

/** How long a frame is held: longer than a heartbeat may stay unanswered, and shorter than T. */
const HOLD_MS = 600;
const SESSION_TIMEOUT_MS = 1_000;
/** For the conversation without faults: a busy machine must not add a reconnection to it. */
const QUIET_SESSION_TIMEOUT_MS = 40_000;
/** The time limit for any conversation with one fault (L1). */
const BOUND_MS = 20_000;

export function describeStep({ scenario, type, direction, occurrence, action }: Step): string {
  return `${scenario.name}: ${action} at ${direction} ${type} number ${occurrence}`;
}

/** Records the conversation once, and lists every fault that can be injected into each of its frames. */
export async function stepsOf(scenario: Scenario, server: TestServer): Promise<Step[]> {
  await using setup = await start(server, QUIET_SESSION_TIMEOUT_MS);
  const rival = await scenario.prepare(setup);
  const before = setup.proxy.frames.length;
  const held = await scenario.act(setup, rival);
  const conversation = setup.proxy.frames.slice(before).filter(({ type }) => type !== 'multi');
  await held?.release();
  await rival?.release();

  const counts = new Map<string, number>();
  return conversation.flatMap(({ type, direction }) => {
    const occurrence = (counts.get(`${direction} ${type}`) ?? 0) + 1;
    counts.set(`${direction} ${type}`, occurrence);
    return FaultRule.actionsOn(direction).map((action) => ({
      scenario,
      type,
      direction,
      occurrence,
      action,
    }));
  });
}

/** Runs the conversation with the fault, and checks L1, S1 and C1. Resolves with whether the fault struck. */
export async function walkStep(step: Step, server: TestServer): Promise<boolean> {
  await using setup = await start(server, SESSION_TIMEOUT_MS);
  const rival = await step.scenario.prepare(setup);
  const fault = setup.proxy.once(step.type, step.action, {
    occurrence: step.occurrence,
    ...(step.action.startsWith('hold') ? { delayMs: HOLD_MS } : {}),
  });
  let struck = false;
  void fault.fired.then(() => (struck = true));

  const held = await within(BOUND_MS, step.scenario.act(setup, rival));

  if (held !== null) {
    if (rival?.isHeld() === true) throw new Error('S1: two valid holders');
    const intruder = await setup.others.tryLock(RESOURCE);
    if (intruder !== null && held.isHeld())
      throw new Error('S1: another client was granted a lock that is held');
    await intruder?.release();
    await within(BOUND_MS, held.release());
  }
  await rival?.release();
  await expectNothingLeft(setup, server);
  return struck;
}

function start(server: TestServer, sessionTimeout: number): Promise<ProxiedLocks> {
  return ProxiedLocks.start(server, { sessionTimeout, connectTimeout: 5_000 });
}

async function expectNothingLeft(setup: ProxiedLocks, server: TestServer): Promise<void> {
  await eventually(async () => (await setup.contenders(RESOURCE)).length === 0, {
    describe: 'C1: no contender left',
  });
  await eventually(async () => (await server.fourLetter('wchs')).includes('Total watches:0'), {
    describe: 'C1: no watch left on the server',
  });
}

function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`L1: no end within ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
