import { parseArgs } from 'node:util';
import { herd } from './herd.js';
import { killHolder } from './kill-holder.js';
import { lists } from './lists.js';
import { memory } from './memory.js';
import { queue } from './queue.js';
import type { Parameters, Scenario } from './scenario.js';
import { sessions } from './sessions.js';
import { storm } from './storm.js';

type AnyScenario = Scenario<Parameters>;

/** The scenarios. The defaults determine the types of their parameters. */
const SCENARIOS: readonly AnyScenario[] = [killHolder, storm, lists, herd, memory, queue, sessions].map(
  (scenario) => scenario as unknown as AnyScenario,
);

/** @throws Error if the scenario or a parameter is unknown or invalid */
export function parseCommandLine([name, ...args]: readonly string[]): {
  readonly scenario: AnyScenario;
  readonly parameters: Parameters;
} {
  const scenario = SCENARIOS.find((candidate) => candidate.name === name);
  if (!scenario) throw new Error(`There is no scenario '${name ?? ''}'.`);
  const defaults = Object.entries(scenario.defaults);
  const { values } = parseArgs({
    args,
    options: Object.fromEntries(defaults.map(([key]) => [option(key), { type: 'string' }])),
  });
  const given = defaults.map(([key, value]) => [key, parsed(key, values[option(key)], value)] as const);
  return { scenario, parameters: Object.fromEntries(given) };
}

export function usage(): string {
  const lines = SCENARIOS.map(({ name, about, defaults }) => {
    const options = Object.entries(defaults).map(([key, value]) => `[--${option(key)} ${value}]`);
    return `npm run scale -- ${name} ${options.join(' ')}\n    ${about}`;
  });
  return lines.join('\n');
}

function parsed(key: string, given: unknown, fallback: number | string): number | string {
  if (typeof given !== 'string') return fallback;
  if (typeof fallback === 'string') return given;
  const number = Number(given);
  if (Number.isFinite(number) && number >= 0) return number;
  throw new Error(`--${option(key)} must be a number: got ${given}`);
}

/** `killAt` → `kill-at`. */
function option(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
