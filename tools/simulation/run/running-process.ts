import { filter, firstValueFrom } from 'rxjs';
import { openLockService } from '../../../lib/create-lock-service.js';
import type { LockService } from '../../../lib/lock.service.js';
import { LockUnavailableError } from '../../../lib/locking/errors/lock-unavailable.error.js';
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
import { EventLoop } from '../world/event-loop.js';
import { forceLock, type SeenHold } from './force-lock.js';
import { JobRunner } from './job-runner.js';
import { SimulatedGuard } from './simulated-guard.js';
import type { World } from './world.js';

/** Below it are all locks of a run. */
export const ROOT = '/locks';

/** One incarnation of a process: an application that uses the library, from its start to its end. */
export class RunningProcess {
  readonly loop: EventLoop;
  readonly #actor: string;
  readonly #journal: Journal;
  readonly #since: number;
  /** For each ensemble, if the plan has any. */
  readonly #guards: SimulatedGuard[] = [];
  readonly #service: Promise<LockService>;
  /** Of the calls that have not ended. */
  readonly #aborts = new Map<string, () => void>();
  #attempts = 0;
  #requests = 0;
  #unfinished = 0;
  /** An eager one may still end because it finds no server. */
  #hasStarted: boolean;
  /** Of the scheduled job, if the scenario has one. */
  #runner: JobRunner | undefined;
  /** Stamp of the start of its shutdown, ms. */
  #closingSince: number | undefined;
  /** Called when it has closed, and the last of its calls has ended. */
  #onceIdle: () => void = () => {};

  /**
   * @param number of the incarnations of the process, from 1 on
   * @param ended called when it has ended by itself
   */
  constructor(
    private readonly plan: ProcessPlan,
    private readonly number: number,
    private readonly world: World,
    private readonly ended: (end: 'shutDown' | 'closed' | 'notStarted') => void,
  ) {
    const { scheduler, random, recorder } = world;
    const { name, rate, wallRate } = plan;
    this.#actor = `${name}.${number}`;
    this.#since = scheduler.now;
    this.#hasStarted = plan.eager !== true;
    const thread = random.fork(`${this.#actor} thread`);
    const loop = new EventLoop({ name, scheduler, random: thread, rate, wallRate });
    const journal = recorder.journal(this.#actor, () => loop.now);
    loop.onStall((ms) => journal.write({ what: 'lagged', ms }));
    this.loop = loop;
    this.#journal = journal;
    this.#service = new Promise((resolve) => {
      loop.run(() => {
        const started = (service: LockService): void => {
          this.#hasStarted = true;
          resolve(service);
          this.#startJob(service);
        };
        this.#openService().then(started, (error: unknown) => this.#failedToStart(error));
      });
    });
  }

  get isClosing(): boolean {
    return this.#closingSince !== undefined;
  }

  /** Calls that have not ended. */
  get unfinished(): number {
    return this.#unfinished;
  }

  /** When the last run of the scheduled job was completed here, ms; negative if none was. */
  get lastRunAt(): number {
    return this.#runner?.lastRunAt ?? -Infinity;
  }

  /** Neither calls nor runs of the job. */
  get isIdle(): boolean {
    return this.#unfinished === 0 && this.#runner?.isIdle !== false;
  }

  call({ plan, timed = false }: PlannedCall): void {
    this.#attempts += 1;
    this.#unfinished += 1;
    const name = `${this.#actor}#${this.#attempts}`;
    const begin = (): void => void this.#attempt(name, plan);
    // Before, a timer of its own would keep it alive.
    if (timed && this.#hasStarted) this.loop.clock.setTimer(begin, 0);
    else this.loop.run(begin);
  }

  request(plan: PlannedRequest): void {
    this.#requests += 1;
    const name = requestOf(this.#actor, this.#requests);
    this.#use((service) => makeRequest(name, plan, { service, journal: this.#journal }));
  }

  force(hold: SeenHold, freed: () => void): void {
    this.#use(async (service) => {
      if (await forceLock(hold, { service, journal: this.#journal })) freed();
    });
  }

  abort(call: string): boolean {
    if (!this.#aborts.has(call)) return false;
    this.loop.run(() => this.#aborts.get(call)?.());
    return true;
  }

  stopJob(): void {
    this.#runner?.stop();
  }

  kill(): void {
    const { recorder, scheduler } = this.world;
    recorder.killed(this.#actor, scheduler.now, this.loop.standsStillFor);
    this.loop.kill();
    for (const guard of this.#guards) guard.parentKilled();
  }

  /** Closes the lock service, and then ends. */
  close(end: 'shutDown' | 'closed'): void {
    this.#closingSince = this.world.scheduler.now;
    this.loop.run(() => {
      this.#runner?.stop();
      void this.#close(end);
    });
  }

  /** What the history says of it. */
  record(end: Incarnation['end']): Incarnation {
    const { scheduler, recorder, ensembles } = this.world;
    const { sessionTimeout, connectTimeout, drainTimeout, release, localQueue, handOver, linger } = this.plan;
    recorder.ended(this.#actor);
    return {
      actor: this.#actor,
      process: Number(this.plan.name.slice(1)),
      sessionTimeout,
      connectTimeout,
      hasOneSession: this.plan.maxSessionPathBytes === undefined && ensembles.all.length === 1,
      drainTimeout,
      release,
      localQueue,
      handOver,
      linger,
      from: nanoseconds(this.#since),
      to: nanoseconds(scheduler.now),
      end,
      ...(this.#closingSince === undefined ? {} : { closingSince: nanoseconds(this.#closingSince) }),
    };
  }

  async #openService(): Promise<LockService> {
    const { ensembles, network, random } = this.world;
    const { name: host, rate: _, wallRate: __, shutdownPause: ___, ...rest } = this.plan;
    const { authenticates, eager = false, asks = rest.sessionTimeout, ...options } = rest;
    const auth = authenticates === true ? { auth: { credential: CREDENTIAL } } : {};
    const [first, ...others] = ensembles.all;
    return openLockService(
      {
        localQueue: false,
        ...options,
        ...auth,
        sessionTimeout: asks,
        root: ROOT,
        lazy: !eager,
        slowWaitWarning: Infinity,
      },
      this.#actor,
      {
        ensembles: [first.addresses, ...others.map(({ addresses }) => addresses)],
        clock: this.loop.clock,
        random: random.fork(`${this.#actor} choices`),
        openSocket: network.connector(this.loop),
        createGuard: (servers) => {
          const guard = new SimulatedGuard(this.world, this.loop, this.number, servers);
          this.#guards.push(guard);
          return guard;
        },
        identity: { host, pid: this.number },
        opened: ({ service }) => service.events$.subscribe((event) => recordEvent(event, this.#journal)),
      },
    );
  }

  #startJob(service: LockService): void {
    const { scenario, random, scheduler } = this.world;
    if (scenario.job === undefined || this.isClosing) return;
    this.#runner = new JobRunner(scenario.job, {
      service,
      clock: this.loop.clock,
      journal: this.#journal,
      random: random.fork(`${this.#actor} job`),
      now: () => scheduler.now,
    });
  }

  #failedToStart(error: unknown): void {
    if (!(error instanceof LockUnavailableError))
      this.#journal.write({ what: 'unhandled', detail: String(error) });
    this.#exit('notStarted');
  }

  #failedToWrite(error: unknown): false {
    this.#journal.write({ what: 'unhandled', detail: String(error) });
    return false;
  }

  async #attempt(name: string, plan: AttemptPlan): Promise<void> {
    const { guard } = this.world;
    const service = await this.#service;
    const expiries = service.events$.pipe(filter(({ type }) => type === 'sessionExpired'));
    await runAttempt(name, plan, {
      locks: serviceLocks(service),
      sessionExpired: async () => void (await firstValueFrom(expiries, { defaultValue: undefined })),
      journal: this.#journal,
      clock: this.loop.clock,
      aborts: this.#aborts,
      guard: {
        write: (write) => guard.write(this.loop.now, write).catch((error) => this.#failedToWrite(error)),
      },
      defaults: { wait: Infinity, ttl: 0 },
      reportHold: () => {},
    });
    this.#finished();
  }

  #use(work: (service: LockService) => Promise<void>): void {
    this.#unfinished += 1;
    this.loop.run(() => {
      void this.#service.then(work).then(() => this.#finished());
    });
  }

  #finished(): void {
    this.#unfinished -= 1;
    if (this.#unfinished === 0) this.#onceIdle();
  }

  async #close(end: 'shutDown' | 'closed'): Promise<void> {
    const service = await this.#service;
    const { shutdownPause } = this.plan;
    if (shutdownPause !== undefined) {
      await service.beforeApplicationShutdown();
      await sleep(this.loop.clock, shutdownPause);
    }
    await service.close();
    await this.#runner?.ended();
    this.#onceIdle = () => this.#exit(end);
    if (this.#unfinished === 0) this.#onceIdle();
  }

  /** In a later turn, unless something is left to keep the process alive. */
  #exit(end: 'shutDown' | 'closed' | 'notStarted'): void {
    const { loop } = this;
    this.#journal.write({ what: 'exited' });
    loop.clock.nextTurn(() => {
      const unhandled = (detail: string): void => this.#journal.write({ what: 'unhandled', detail });
      if (loop.hasTimer) unhandled('a timer was left at the exit');
      if (this.world.network.openSockets(loop) > 0) unhandled('a socket was left at the exit');
      loop.kill();
      this.ended(end);
    });
  }
}
