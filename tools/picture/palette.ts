import type { Outcome } from '../history/process-event.js';

const RESOURCES = ['#3f6fb5', '#2f9a66', '#c08a1e', '#8a5ab0', '#5a8f9c', '#b0607a'];

export function colorOf(resource: string, resources: readonly string[]): string {
  return RESOURCES[resources.indexOf(resource) % RESOURCES.length] ?? '#777';
}

export const INK = '#222';
export const FAINT = '#8a8a8a';
export const LOST = '#d62828';
export const EXPIRED = '#e07a00';

/** The colours of attempts that end without a grant. */
export const END_COLORS: Readonly<Record<Outcome, string>> = {
  busy: '#9a9a9a',
  skipped: '#9a9a9a',
  timedOut: EXPIRED,
  aborted: '#8e24aa',
  unavailable: LOST,
  closed: LOST,
  lost: LOST,
  otherPermits: LOST,
  otherFairness: LOST,
  untyped: LOST,
};

/** The colours of faults, by target. */
export const FAULTS: Readonly<Record<string, string>> = {
  cut: '#2a6fdb',
  reset: '#2a6fdb',
  blackHole: '#2a6fdb',
  delay: '#7fb2ff',
  midPacketCut: '#2a6fdb',
  frameFault: '#2a6fdb',
  sessionExpiry: '#8e24aa',
  stop: '#555',
  block: '#555',
  kill: '#000',
  shutdown: '#000',
  holderKill: '#000',
  holderBlackHole: '#2a6fdb',
  linkStall: '#e07a00',
  doubleStall: '#e07a00',
};

/** The colour of faults that stop servers. */
export const SERVER_FAULT = '#c62828';

export const MODES = {
  leader: '#1d3557',
  follower: '#a8c5da',
  standalone: '#1d3557',
  silent: '#ffffff',
} as const;

export const STYLE = `
  text { font: 10px system-ui, sans-serif; fill: ${INK}; }
  .title { font-size: 15px; font-weight: 600; }
  .name { font-size: 11px; font-weight: 600; }
  .faint { fill: ${FAINT}; font-size: 9px; }
  .fault { font-size: 8px; }
`;
