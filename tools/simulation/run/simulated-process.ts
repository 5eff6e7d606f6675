import { filter, firstValueFrom } from 'rxjs';
import { openLockService } from '../../../lib/create-lock-service.js';
import type { LockService } from '../../../lib/lock.service.js';
import type { AttemptPlan } from '../../attempts/attempt-plan.js';
import { makeRequest } from '../../attempts/make-request.js';
import { runAttempt } from '../../attempts/run-attempt.js';
import { serviceLocks } from '../../attempts/service-locks.js';
import { sleep } from '../../attempts/sleep.js';
import { recordEvent } from '../../attempts/record-event.js';
import type { Journal } from '../../history/journal.interface.js';
import { nanoseconds } from '../../history/moments.js';
import { requestOf } from '../../history/names.js';
import type { Incarnation } from '../../history/run-history.js';
import { CREDENTIAL, type PlannedCall, type PlannedRequest, type ProcessPlan } from '../scenario/scenario.js';
import { forceLock, type SeenHold } from './force-lock.js';
import { JobRunner } from './job-runner.js';
import { EventLoop } from '../world/event-loop.js';
import { SimulatedGuard } from './simulated-guard.js';
import type { World } from './world.js';

/** Below it are all locks of a run. */
export const ROOT = '/locks';

interface Running {
  readonly actor: string;
  readonly loop: EventLoop;
  readonly journal: Journal;
  /** For each ensemble, if the plan has any. */
  readonly guards: SimulatedGuard[];
  readonly since: number;
  readonly opened: Promise<LockService>;
  /** Of the calls that have not ended. */
  readonly aborts: Map<string, () => void>;
  attempts: number;
  requests: number;
  unfinished: number;
  /** Of the scheduled job, if the scenario has one. */
  runner: JobRunner | undefined;
  /** Stamp of the start of its shutdown, ms. */
  closingSince: number | undefined;
  /** Called when it has closed, and the last of its calls has ended. */
  onceIdle?: () => void;
}

/** An application that uses the library, from one incarnation to the next. */
export class SimulatedProcess {
  readonly incarnations: Incarnation[] = [];
  #running: Running | undefined;
  #started = 0;
  /** It was started while it closed. */
  #startsAgain = false;
  /** Calls after the last fault that wait for that start: they show whether everything works again. */
  #late: PlannedCall[] = [];

  constructor(
    private readonly plan: ProcessPlan,
    private readonly world: World,
  ) {}

  get name(): string {
    return this.plan.name;
  }

  /** The thread of the current incarnation. */
  get loop(): EventLoop | undefined {
    return this.#running?.loop;
  }

  /** Its lock service can be used. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Calls that have not ended. */
  get unfinished(): number {
    return (this.#running?.unfinished ?? 0) + this.#late.length;
  }

  /** When the last run of the scheduled job was completed here, ms; negative if none was. */
  get lastRunAt(): number {
    return this.#running?.runner?.lastRunAt ?? -Infinity;
  }

  /** Neither calls nor runs of the job. */
  get isIdle(): boolean {
    return this.unfinished === 0 && this.#running?.runner?.isIdle !== false;
  }

  /** If it is closing, it starts when it has ended. */
  start(): void {
    if (this.#running !== undefined) {
      this.#startsAgain = this.#running.closingSince !== undefined;
      return;
    }
    const { scheduler, random, recorder } = this.world;
    this.#started += 1;
    const actor = `${this.name}.${this.#started}`;
    const { rate, wallRate } = this.plan;
    const loop = new EventLoop({
      name: this.name,
      scheduler,
      random: random.fork(`${actor} thread`),
      rate,
      wallRate,
    });
    const journal = recorder.journal(actor, () => loop.now);
    loop.onStall((ms) => journal.write({ what: 'lagged', ms }));
    let opened: (service: LockService) => void = () => {};
    const running: Running = {
      actor,
      loop,
      journal,
      guards: [],
      since: scheduler.now,
      opened: new Promise((resolve) => (opened = resolve)),
      aborts: new Map(),
      attempts: 0,
      requests: 0,
      unfinished: 0,
      runner: undefined,
      closingSince: undefined,
    };
    this.#running = running;
    loop.run(() => {
      void this.#openService(running).then((service) => {
        opened(service);
        this.#startJob(service, running);
      });
    });
  }

  call(call: PlannedCall): void {
    const { plan, timed = false } = call;
    const running = this.#running;
    if (this.#startsAgain && call.at >= this.world.scenario.quietFrom) this.#late.push(call);
    if (running === undefined || running.closingSince !== undefined) return;
    running.attempts += 1;
    running.unfinished += 1;
    const name = `${running.actor}#${running.attempts}`;
    const begin = (): void => void this.#attempt(name, plan, running);
    if (timed) running.loop.clock.setTimer(begin, 0);
    else running.loop.run(begin);
  }

  /** Asks the holders of a lock to release it, or changes its number of permits. */
  request(plan: PlannedRequest): void {
    const running = this.#open;
    if (running === undefined) return;
    running.requests += 1;
    const { journal } = running;
    const name = requestOf(running.actor, running.requests);
    this.#use(running, (service) => makeRequest(name, plan, { service, journal }));
  }

  /**
   * A person frees a closed lock with the service of the application. Calls `freed` when the servers have answered. False if
   * the service cannot be used.
   */
  force(hold: SeenHold, freed: () => void): boolean {
    const running = this.#open;
    if (running === undefined) return false;
    const { journal } = running;
    this.#use(running, async (service) => {
      if (await forceLock(hold, { service, journal })) freed();
    });
    return true;
  }

  /** The caller gives up. False if it has its answer. */
  abort(call: string): boolean {
    const running = this.#running;
    if (running?.aborts.has(call) !== true) return false;
    running.loop.run(() => running.aborts.get(call)?.());
    return true;
  }

  /** The job has no further runs. */
  stopJob(): void {
    this.#running?.runner?.stop();
  }

  /** SIGKILL. */
  kill(): void {
    const running = this.#running;
    if (running === undefined) return;
    const { actor, loop } = running;
    this.world.recorder.killed(actor, this.world.scheduler.now, loop.standsStillFor);
    loop.kill();
    for (const guard of running.guards) guard.parentKilled();
    this.#ended(running, 'killed');
  }

  /** Closes the lock service, and then ends. */
  close(end: 'shutDown' | 'closed'): void {
    const running = this.#open;
    if (running === undefined) return;
    running.closingSince = this.world.scheduler.now;
    running.loop.run(() => {
      running.runner?.stop();
      void this.#close(running, end);
    });
  }

  /** It has not ended by itself. */
  abandon(): void {
    if (this.#running !== undefined) this.#ended(this.#running, 'stuck');
  }

  async #openService({ actor, loop, journal, guards }: Running): Promise<LockService> {
    const { ensembles, network, random } = this.world;
    const { name: _, rate: __, wallRate: ___, shutdownPause: ____, authenticates, ...options } = this.plan;
    const auth = authenticates === true ? { auth: { credential: CREDENTIAL } } : {};
    const [first, ...others] = ensembles.all;
    const service = await openLockService(
      { localQueue: false, ...options, ...auth, root: ROOT, lazy: true, slowWaitWarning: Infinity },
      actor,
      {
        ensembles: [first.addresses, ...others.map(({ addresses }) => addresses)],
        clock: loop.clock,
        random: random.fork(`${actor} choices`),
        openSocket: network.connector(loop),
        createGuard: (servers) => {
          const guard = new SimulatedGuard(this.world, loop, this.#started, servers);
          guards.push(guard);
          return guard;
        },
        identity: { host: this.name, pid: this.#started },
        opened: ({ service }) => service.events$.subscribe((event) => recordEvent(event, journal)),
      },
    );
    return service;
  }

  #startJob(service: LockService, running: Running): void {
    const { scenario, random } = this.world;
    const { actor, loop, journal } = running;
    if (scenario.job === undefined || running.closingSince !== undefined) return;
    const choices = random.fork(`${actor} job`);
    running.runner = new JobRunner(scenario.job, {
      service,
      clock: loop.clock,
      journal,
      random: choices,
      now: () => this.world.scheduler.now,
    });
  }

  async #attempt(name: string, plan: AttemptPlan, running: Running): Promise<void> {
    const { guard } = this.world;
    const { loop, journal, aborts } = running;
    const service = await running.opened;
    const expiries = service.events$.pipe(filter(({ type }) => type === 'sessionExpired'));
    await runAttempt(name, plan, {
      locks: serviceLocks(service),
      sessionExpired: async () => void (await firstValueFrom(expiries, { defaultValue: undefined })),
      journal,
      clock: loop.clock,
      aborts,
      guard: { write: (write) => guard.write(loop.now, write) },
      defaults: { wait: Infinity, ttl: 0 },
      reportHold: () => {},
    });
    this.#finished(running);
  }

  get #open(): Running | undefined {
    return this.#running?.closingSince === undefined ? this.#running : undefined;
  }

  #use(running: Running, work: (service: LockService) => Promise<void>): void {
    running.unfinished += 1;
    running.loop.run(() => {
      void running.opened.then(work).then(() => this.#finished(running));
    });
  }

  #finished(running: Running): void {
    running.unfinished -= 1;
    if (running.unfinished === 0) running.onceIdle?.();
  }

  async #close(running: Running, end: 'shutDown' | 'closed'): Promise<void> {
    const { loop, journal } = running;
    const service = await running.opened;
    const { shutdownPause } = this.plan;
    if (shutdownPause !== undefined) {
      await service.beforeApplicationShutdown();
      await sleep(loop.clock, shutdownPause);
    }
    await service.close();
    await running.runner?.ended();
    running.onceIdle = () => {
      journal.write({ what: 'exited' });
      // The process ends in a later turn, unless something is left to keep it alive.
      loop.clock.nextTurn(() => {
        if (loop.hasTimer) journal.write({ what: 'unhandled', detail: 'a timer was left at the exit' });
        if (this.world.network.openSockets(loop) > 0)
          journal.write({ what: 'unhandled', detail: 'a socket was left at the exit' });
        loop.kill();
        this.#ended(running, end);
      });
    };
    if (running.unfinished === 0) running.onceIdle();
  }

  #ended({ actor, since, closingSince }: Running, end: Incarnation['end']): void {
    const { sessionTimeout, connectTimeout, drainTimeout, release, localQueue, handOver, linger } = this.plan;
    this.#running = undefined;
    const startsAgain = this.#startsAgain && end === 'shutDown';
    const late = this.#late;
    this.#startsAgain = false;
    this.#late = [];
    const { recorder, scheduler, ensembles } = this.world;
    recorder.ended(actor);
    this.incarnations.push({
      actor,
      process: Number(this.name.slice(1)),
      sessionTimeout,
      connectTimeout,
      hasOneSession: this.plan.maxSessionPathBytes === undefined && ensembles.all.length === 1,
      drainTimeout,
      release,
      localQueue,
      handOver,
      linger,
      from: nanoseconds(since),
      to: nanoseconds(scheduler.now),
      end,
      ...(closingSince === undefined ? {} : { closingSince: nanoseconds(closingSince) }),
    });
    if (!startsAgain) return;
    this.start();
    for (const call of late) this.call(call);
  }
}
