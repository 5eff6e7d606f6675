import { LoopClock } from './loop-clock.js';
import { LoopPhases } from './loop-phases.js';
import type { Random } from './random.js';
import type { Scheduler } from './scheduler.js';
import { ThreadTime, type Rates } from './thread-time.js';

export interface EventLoopOptions extends Rates {
  /** Of the host; a host that was killed and starts again is a new event loop with the same name. */
  readonly name: string;
  readonly scheduler: Scheduler;
  readonly random: Random;
  /** What a callback costs, ms. */
  readonly cpuTime?: { readonly min: number; readonly max: number };
}

/** The only thread of a host, a process under test or a server. It runs one callback at a time, in the order of libuv. */
export class EventLoop {
  readonly name: string;
  readonly clock: LoopClock;
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #cpuTime: { readonly min: number; readonly max: number };
  readonly #time: ThreadTime;
  readonly #phases = new LoopPhases();
  readonly #killListeners: (() => void)[] = [];
  readonly #stallListeners: ((ms: number) => void)[] = [];
  #pauses = 0;
  #pausedAt = 0;
  #blockedFrom = 0;
  #blockedUntil = 0;
  #state: 'running' | 'paused' | 'dead' = 'running';
  #inCallback = false;
  /** From then on, the thread sleeps when it finds nothing to do. */
  #busyUntil = 0;
  #wakeUp: { readonly at: number; cancel(): void } | undefined;

  constructor({ name, scheduler, random, cpuTime = { min: 0.005, max: 0.05 }, ...rates }: EventLoopOptions) {
    this.name = name;
    this.#scheduler = scheduler;
    this.#random = random;
    this.#cpuTime = cpuTime;
    this.#time = new ThreadTime(scheduler, rates);
    this.clock = new LoopClock(this.#time, this.#phases, random.fraction(), () => this.#planWakeUp());
  }

  get state(): 'running' | 'paused' | 'dead' {
    return this.#state;
  }

  /** Time of the simulation as this thread sees it: what a callback sends leaves at this time. */
  get now(): number {
    return this.#time.now;
  }

  /** How long the thread has been paused, blocked or descheduled by now, ms; 0 if it is not. */
  get standsStillFor(): number {
    const { now } = this.#scheduler;
    const since = Math.min(
      this.#state === 'paused' ? this.#pausedAt : now,
      now < this.#blockedUntil ? this.#blockedFrom : now,
      this.#time.descheduledSince,
    );
    return now - since;
  }

  /** A timer would keep the process alive. */
  get hasTimer(): boolean {
    return this.#phases.timers.peek() !== undefined;
  }

  /** A socket event has arrived. */
  post(task: () => void): void {
    if (this.#state === 'dead') return;
    this.#phases.addTask(task);
    this.#planWakeUp();
  }

  /** Runs code of the host that nothing else calls, such as its start. */
  run(task: () => void): void {
    this.post(task);
  }

  /** SIGSTOP: time goes on and socket events pile up, but no code runs. Several pauses end with the last one. */
  pause(): void {
    this.#pauses += 1;
    if (this.#state !== 'running') return;
    this.#state = 'paused';
    this.#pausedAt = this.#scheduler.now;
    this.#cancelWakeUp();
  }

  /** SIGCONT: timers that are due run before the socket events that have piled up. */
  resume(): void {
    if (this.#pauses === 0) return;
    this.#pauses -= 1;
    if (this.#state !== 'paused' || this.#pauses > 0) return;
    this.#state = 'running';
    this.#busyUntil = Math.max(this.#busyUntil, this.#scheduler.now);
    this.#stalled(this.#scheduler.now - this.#pausedAt);
    this.#planWakeUp();
  }

  /** Some other code of the host keeps the thread busy for so long, from now on. */
  block(ms: number): void {
    const { now } = this.#scheduler;
    if (now >= this.#blockedUntil) this.#blockedFrom = now;
    this.#busyUntil = Math.max(this.#busyUntil, now) + ms;
    this.#blockedUntil = this.#busyUntil;
    this.#scheduler.schedule(this.#busyUntil, () => this.#stalled(ms));
  }

  /**
   * The thread will be descheduled within a callback, between two instructions: when code of the host has read a clock
   * `readsBefore` times, the next reading finds that `ms` more have passed.
   */
  stallWithin(ms: number, readsBefore = 0): void {
    this.#time.planStall(ms, readsBefore, () => this.#stalled(ms));
  }

  /** SIGKILL. */
  kill(): void {
    if (this.#state === 'dead') return;
    this.#state = 'dead';
    this.#cancelWakeUp();
    for (const listener of this.#killListeners) listener();
  }

  onKill(listener: () => void): void {
    this.#killListeners.push(listener);
  }

  /** Called at the end of a stall, after which the thread catches up with what it has missed in `ms`. */
  onStall(listener: (ms: number) => void): void {
    this.#stallListeners.push(listener);
  }

  #stalled(ms: number): void {
    if (this.#state !== 'dead') for (const listener of this.#stallListeners) listener(ms);
  }

  #planWakeUp(): void {
    if (this.#state !== 'running' || this.#inCallback) return;
    const ready = this.#phases.readyAt(this.#scheduler.now);
    if (ready === undefined) return;
    const at = Math.max(ready, this.#busyUntil);
    // One that is too early finds nothing to do, and plans again.
    if (this.#wakeUp !== undefined && this.#wakeUp.at <= at) return;
    this.#cancelWakeUp();
    this.#wakeUp = { at, ...this.#scheduler.schedule(at, () => this.#wokenUp()) };
  }

  #cancelWakeUp(): void {
    this.#wakeUp?.cancel();
    this.#wakeUp = undefined;
  }

  #wokenUp(): void {
    this.#wakeUp = undefined;
    const { now } = this.#scheduler;
    if (now > this.#busyUntil) this.#phases.wokenUp();
    const callback = now < this.#busyUntil ? undefined : this.#phases.take(now);
    if (callback === undefined) return this.#planWakeUp();
    this.#inCallback = true;
    this.#time.callbackStarted();
    this.#scheduler.codeRan(() => this.#settled());
    callback();
  }

  /** The callback and all that it has left to microtasks and process.nextTick are over. */
  #settled(): void {
    this.#inCallback = false;
    this.#time.callbackEnded();
    const cost = this.#random.between(this.#cpuTime.min, this.#cpuTime.max);
    this.#busyUntil = Math.max(this.#busyUntil, this.now + cost);
    this.#planWakeUp();
  }
}
