import type { Scenario } from './scenario.js';
import { scenario } from './scenario-shape.js';
import { objectOf, text } from './shape.js';

/** What a scenario file contains. */
export interface ScenarioFile {
  /** What the scenario shows, or which handling it guards. */
  readonly about: string;
  readonly scenario: Scenario;
}

const file = objectOf<ScenarioFile>({ about: text, scenario });

/** JSON, in which options that are undefined are absent. */
export function writeScenarioFile(content: ScenarioFile): string {
  return `${JSON.stringify(content, (_key, value: unknown) => (value === Infinity ? 'Infinity' : value), 2)}\n`;
}

/** @throws Error that names the first thing that is not as in a scenario file */
export function parseScenarioFile(json: string): ScenarioFile {
  return file(JSON.parse(json), 'the file');
}
