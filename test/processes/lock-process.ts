import { Logger } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLockService, type HeldLock, type LockService } from 'nestjs-locked';
import { block } from '../support/block.js';
import { eventually } from '../support/eventually.js';
import type { HistoryEvent } from '../support/lock-history.js';
import type {
  ChildMessage,
  CommandReply,
  JsonOptions,
  LockCommand,
  LoopOptions,
} from '../support/lock-process.js';

const LOOK_INTERVAL_MS = 5;

const holds = new Map<string, HeldLock>();
const looks = new Map<HeldLock, NodeJS.Timeout>();

// The history replaces the log.
Logger.overrideLogger(false);

function send(message: ChildMessage): void {
  process.send?.(message);
}

function tell(what: HistoryEvent['what'], more: Partial<HistoryEvent> = {}): void {
  send({ kind: 'history', event: { at: process.hrtime.bigint(), pid: process.pid, what, ...more } });
}

function watch(held: HeldLock): void {
  const { resource, fencingToken: token, mode } = held;
  tell('acquired', { resource, token, mode });
  let lastHeld = process.hrtime.bigint();
  const look = (): void => {
    const at = process.hrtime.bigint();
    if (held.isHeld()) lastHeld = at;
  };
  looks.set(held, setInterval(look, LOOK_INTERVAL_MS).unref());
  held.signal.addEventListener('abort', () => {
    tell('lastHeld', { resource, token, at: lastHeld });
    tell('signalAborted', { resource, token, detail: String(held.signal.reason) });
    stopLooking(held);
  });
}

function stopLooking(held: HeldLock): void {
  clearInterval(looks.get(held));
  looks.delete(held);
}

async function acquire(
  locks: LockService,
  command: LockCommand & { type: 'lock' | 'tryLock' },
): Promise<unknown> {
  const { resource, options } = command;
  tell('acquiring', { resource });
  const held = await locks[command.type](resource, options);
  if (held === null) return null;
  watch(held);
  holds.set(command.id, held);
  return String(held.fencingToken);
}

async function release(held: HeldLock): Promise<boolean> {
  const { resource, fencingToken: token } = held;
  tell('releasing', { resource, token });
  const kept = await held.release();
  stopLooking(held);
  tell('released', { resource, token, detail: String(kept) });
  return kept;
}

async function holdTogether(
  locks: LockService,
  { resources, holdMs, lockOptions }: Omit<LoopOptions, 'acquisitions'>,
): Promise<void> {
  const { members } = await locks.lock(resources, lockOptions);
  members.forEach(watch);
  await sleep(holdMs);
  await Promise.all(members.map(release));
}

async function loop(locks: LockService, { acquisitions, ...options }: LoopOptions): Promise<void> {
  const { resources, holdMs } = options;
  for (let i = 0; i < acquisitions; i += 1) {
    if (options.lock === 'together') {
      await holdTogether(locks, options);
      continue;
    }
    const resource = resources[i % resources.length]!;
    if (options.lock === 'none') {
      const token = process.hrtime.bigint();
      tell('acquired', { resource, token });
      await sleep(holdMs);
      tell('releasing', { resource, token });
      continue;
    }
    const held = await locks.lock(resource, options.lockOptions);
    watch(held);
    await sleep(holdMs);
    await release(held);
  }
}

async function queueLength(locks: LockService, resource: string): Promise<number> {
  const { holders, waiters } = await locks.inspect(resource);
  return holders.length + waiters.length;
}

function blockWithLocks(ms: number): void {
  block(ms);
  for (const held of holds.values())
    tell('blocked', { resource: held.resource, detail: String(held.isHeld()) });
}

async function workThenBlock(locks: LockService, resource: string, ms: number): Promise<void> {
  await locks.withLock(resource, async ({ fencingToken: token }) => {
    tell('acquired', { resource, token });
    await eventually(async () => (await queueLength(locks, resource)) === 2);
    tell('releasing', { resource, token });
  });
  block(ms);
  tell('blocked', { resource });
}

async function run(locks: LockService, command: LockCommand): Promise<unknown> {
  switch (command.type) {
    case 'lock':
    case 'tryLock':
      return acquire(locks, command);
    case 'release':
      return release(holds.get(command.id)!);
    case 'loop':
      return loop(locks, command.loop);
    case 'block':
      return blockWithLocks(command.ms);
    case 'workThenBlock':
      return workThenBlock(locks, command.resource, command.ms);
    case 'isHeld':
      return holds.get(command.id)!.isHeld();
    case 'queueLength':
      return eventually(async () => (await queueLength(locks, command.resource)) === command.length);
    case 'close':
      await locks.beforeApplicationShutdown();
      return locks.close();
  }
}

async function answer(locks: LockService, command: LockCommand): Promise<void> {
  const reply: CommandReply = { id: command.id, command: command.type };
  try {
    send({ kind: 'reply', reply: { ...reply, value: await run(locks, command) } });
  } catch (error) {
    const { name, message, code } = error as Error & { code?: string };
    tell('failed', { detail: `${name}: ${message}` });
    send({ kind: 'reply', reply: { ...reply, error: { name, message, code } } });
  }
  if (command.type === 'close') process.disconnect();
}

const locks = await createLockService(JSON.parse(process.argv[2]!) as JsonOptions);
locks.ready$.subscribe(({ type, server }) => tell('connection', { detail: `${type} ${server}` }));
locks.disconnected$.subscribe(() => tell('connection', { detail: 'suspended' }));
process.on('message', (command: LockCommand) => void answer(locks, command));
// The parent has exited.
process.on('disconnect', () => void locks.close().then(() => process.exit()));
send({ kind: 'started' });
