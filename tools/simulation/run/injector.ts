import { nanoseconds } from '../../history/moments.js';
import type { FaultRecord } from '../../history/fault-record.js';
import { attemptOf, processOf } from '../../history/names.js';
import type { Fault, PlannedFault } from '../scenario/fault.js';
import { Operator } from './operator.js';
import type { SimulatedProcess } from './simulated-process.js';
import type { World } from './world.js';

/** What a fault has done: whom it has struck, and how it ends. */
interface Strike {
  readonly on: FaultRecord['on'];
  readonly kind?: string;
  readonly targets: readonly string[];
  readonly attempt?: string;
  readonly undo?: () => void;
}

/** Injects the planned faults of a run. */
export class Injector {
  readonly records: FaultRecord[] = [];
  readonly #operator: Operator;

  constructor(
    private readonly world: World,
    private readonly processes: ReadonlyMap<string, SimulatedProcess>,
  ) {
    this.#operator = new Operator(world.ensemble);
  }

  inject({ fault }: PlannedFault): void {
    const { scheduler } = this.world;
    const from = scheduler.now;
    const strike = this.#strike(fault);
    const ms = 'ms' in fault ? fault.ms : 0;
    const record = (to: number): void => {
      const { on = 'process', kind = fault.kind, targets = [], attempt } = strike ?? {};
      this.records.push({
        on,
        kind,
        targets,
        ...(attempt === undefined ? {} : { attempt }),
        from: nanoseconds(from),
        to: nanoseconds(to),
        struck: strike !== undefined,
        detail: JSON.stringify(fault),
        late: 0,
      });
    };
    if (strike?.undo === undefined) return record(from + (strike === undefined ? 0 : ms));
    scheduler.schedule(from + ms, () => {
      strike.undo?.();
      record(scheduler.now);
    });
  }

  /** Undefined if the fault has found nothing to strike. */
  #strike(fault: Fault): Strike | undefined {
    const { network, ensemble } = this.world;
    switch (fault.kind) {
      case 'stall': {
        const direction = network.direction(fault.from, fault.to);
        direction.stall();
        return { ...link(fault), undo: () => direction.resume() };
      }
      case 'slow': {
        const direction = network.direction(fault.from, fault.to);
        direction.latency = { min: 0.05, max: 0.5 + fault.by };
        return { ...link(fault), undo: () => (direction.latency = { min: 0.05, max: 0.5 }) };
      }
      case 'reset':
        network.reset(fault.from, fault.to);
        return link(fault);
      case 'cut':
        network.cutAfter(fault.from, fault.to, fault.bytes);
        return link(fault);
      case 'lose':
        return this.#lose(fault.host, fault.what);
      case 'refuse': {
        const direction = network.direction(fault.from, fault.to);
        direction.refusesConnects = true;
        return { ...link(fault), undo: () => (direction.refusesConnects = false) };
      }
      case 'swallowFin': {
        const direction = network.direction(fault.from, fault.to);
        direction.swallowsFin = true;
        return { ...link(fault), undo: () => (direction.swallowsFin = false) };
      }
      case 'pause':
        return this.#pause(fault.host);
      case 'pauseHolder':
        return this.#onHolder(fault.resource, (host) => this.#pause(host));
      case 'block':
        this.#loop(fault.host)?.block(fault.ms);
        return onHost(fault.host);
      case 'preempt':
        this.#loop(fault.host)?.stallWithin(fault.ms, fault.reads);
        return onHost(fault.host);
      case 'wallStep':
        this.#loop(fault.host)?.clock.stepWall(fault.by);
        return onHost(fault.host);
      case 'kill':
        return this.#kill(fault.host);
      case 'killHolder':
        return this.#onHolder(fault.resource, (host) => this.#kill(host));
      case 'killLeader':
        return ensemble.leader === undefined ? undefined : this.#kill(ensemble.leader);
      case 'close': {
        const process = this.processes.get(fault.host);
        process?.close('shutDown');
        return { ...onHost(fault.host), undo: () => process?.start() };
      }
      case 'isolate': {
        const others = ensemble.names.filter((name) => name !== fault.host);
        return { on: 'links', targets: [fault.host], undo: this.#cutOff([fault.host], others) };
      }
      case 'partition':
        return this.#partition(fault.hosts);
      case 'cutOffHolder':
        return this.#onHolder(fault.resource, (host) => this.#partition([host]));
      case 'partitionHolder':
        return this.#onHolder(fault.resource, (host) =>
          this.#partition([...new Set([host, ...network.serversOf(host)])]),
        );
      case 'slowDisk':
        return { ...onHost(fault.host), undo: ensemble.slowDisk(fault.host, fault.by) };
      case 'restartAll': {
        const { names } = ensemble;
        for (const name of names) ensemble.kill(name);
        if (!fault.keepsData) for (const name of names) ensemble.wipe(name);
        const kind = fault.keepsData ? fault.kind : 'dataLoss';
        return {
          on: 'servers',
          kind,
          targets: names,
          undo: () => names.forEach((name) => ensemble.start(name)),
        };
      }
      case 'deleteContender': {
        const data = this.#operator.deleteContender(fault.resource);
        if (data === undefined) return undefined;
        const attempt = attemptOfRecord(data);
        return { on: 'contender', kind: 'contenderDeletion', targets: [], ...(attempt && { attempt }) };
      }
      case 'foreign': {
        const leave = this.#operator.contend(fault.resource, fault.name);
        return leave && { on: 'contender', targets: [], undo: leave };
      }
    }
  }

  #loop(host: string) {
    const process = this.processes.get(host);
    return process === undefined ? this.world.ensemble.loopOf(host) : process.loop;
  }

  #pause(host: string): Strike {
    const loop = this.#loop(host);
    loop?.pause();
    return { ...onHost(host), undo: () => loop?.resume() };
  }

  #kill(host: string): Strike {
    const process = this.processes.get(host);
    const { ensemble } = this.world;
    if (process === undefined) ensemble.kill(host);
    else process.kill();
    return { ...onHost(host), undo: () => (process === undefined ? ensemble.start(host) : process.start()) };
  }

  #lose(host: string, what: 'requests' | 'replies'): Strike {
    const { network, ensemble } = this.world;
    const directions = ensemble.names.map((server) =>
      what === 'requests' ? network.direction(host, server) : network.direction(server, host),
    );
    for (const direction of directions) direction.stall();
    const undo = (): void => {
      for (const server of ensemble.names) network.sever(host, server);
      for (const direction of directions) direction.resume();
    };
    return { on: 'network', targets: [host], undo };
  }

  /** Processes exchange nothing with each other. */
  #partition(hosts: readonly string[]): Strike {
    const { ensemble } = this.world;
    const all = [...ensemble.names, ...this.processes.keys()];
    const others = all.filter((name) => !hosts.includes(name));
    const ofServers = hosts.some((host) => host.startsWith('s'));
    return { on: ofServers ? 'links' : 'network', targets: hosts, undo: this.#cutOff(hosts, others) };
  }

  #cutOff(hosts: readonly string[], others: readonly string[]): () => void {
    const { network } = this.world;
    const pairs = hosts.flatMap((host) => others.map((other) => [host, other] as const));
    const directions = pairs.flatMap(([a, b]) => [network.direction(a, b), network.direction(b, a)]);
    for (const direction of directions) direction.stall();
    return () => directions.forEach((direction) => direction.resume());
  }

  #onHolder(resource: string, strike: (host: string) => Strike): Strike | undefined {
    const holder = this.world.recorder.holderOf(resource);
    return holder === undefined ? undefined : strike(processOf(holder));
  }
}

function link({ from, to }: { from: string; to: string }): Strike {
  const ofProcess = from.startsWith('p') || to.startsWith('p');
  return { on: ofProcess ? 'network' : 'links', targets: [from, to] };
}

function onHost(host: string): Strike {
  return { on: host.startsWith('s') ? 'servers' : 'process', targets: [host] };
}

/** The attempt that a contender's record names. */
function attemptOfRecord(data: string): string | undefined {
  try {
    return attemptOf(JSON.parse(data) as { owner?: string; purpose?: string });
  } catch {
    // Another client's.
    return undefined;
  }
}
