import { BYTES_PER_MS, type Direction } from '../network/direction.js';
import { isServer, type Stage, type Strike, type Strikes } from './strike.js';

type LinkFault = 'stall' | 'slow' | 'narrow' | 'reset' | 'forget' | 'cut' | 'lose' | 'refuse' | 'swallowFin';

/** Of an undisturbed direction, ms. */
export const LATENCY = { min: 0.05, max: 0.5 };

interface Link {
  readonly from: string;
  readonly to: string;
}

/** Faults of the connections between two hosts. */
export const LINK_FAULTS: Strikes<LinkFault> = {
  stall: (fault, stage) => {
    const direction = directionOf(fault, stage);
    direction.stall();
    return { ...onLink(fault), undo: () => direction.resume() };
  },
  slow: (fault, stage) => {
    const direction = directionOf(fault, stage);
    direction.latency = { min: LATENCY.min, max: LATENCY.max + fault.by };
    return { ...onLink(fault), undo: () => (direction.latency = LATENCY) };
  },
  narrow: (fault, stage) => {
    const direction = directionOf(fault, stage);
    direction.bytesPerMs = fault.bytesPerMs;
    return { ...onLink(fault), undo: () => (direction.bytesPerMs = BYTES_PER_MS) };
  },
  reset: (fault, { world }) => {
    const { from, to } = fault;
    if (isServer(from) && isServer(to)) world.ensembles.of(from).resetLinks(from, to);
    else world.network.reset(fault.from, fault.to);
    return onLink(fault);
  },
  forget: (fault, { world }) => {
    world.network.forget(fault.from, fault.to);
    return onLink(fault);
  },
  cut: (fault, { world }) => {
    if (!isOfClient(fault)) return undefined;
    world.network.cutAfter(fault.from, fault.to, fault.bytes);
    return onLink(fault);
  },
  lose: ({ host, what }, { world: { network, ensembles } }) => {
    const directions = ensembles.names.map((server) =>
      what === 'requests' ? network.direction(host, server) : network.direction(server, host),
    );
    for (const direction of directions) direction.stall();
    const undo = (): void => {
      for (const server of ensembles.names) network.sever(host, server);
      for (const direction of directions) direction.resume();
    };
    return { on: 'network', targets: [host], undo };
  },
  refuse: (fault, stage) => {
    // Only processes ask for connections.
    if (isServer(fault.from)) return undefined;
    const direction = directionOf(fault, stage);
    direction.refusesConnects = true;
    return { ...onLink(fault), undo: () => (direction.refusesConnects = false) };
  },
  swallowFin: (fault, stage) => {
    if (!isOfClient(fault)) return undefined;
    const direction = directionOf(fault, stage);
    direction.swallowsFin = true;
    return { ...onLink(fault), undo: () => (direction.swallowsFin = false) };
  },
};

function directionOf({ from, to }: Link, { world }: Stage): Direction {
  return world.network.direction(from, to);
}

/** Messages between servers do not go through sockets. */
function isOfClient({ from, to }: Link): boolean {
  return !isServer(from) || !isServer(to);
}

function onLink({ from, to }: Link): Strike {
  return { on: isServer(from) && isServer(to) ? 'links' : 'network', targets: [from, to] };
}
