import { expect, it } from 'vitest';
import { parseCommandLine, usage } from './command-line.js';

it('the command accepts the parameters of a scenario, with its full size as the default', () => {
  const { scenario, parameters } = parseCommandLine(['storm', '--waiters', '300', '--release-after', '0']);

  expect(scenario.name).toBe('storm');
  expect(parameters).toMatchObject({ waiters: 300, releaseAfter: 0, disturbance: 'reset', timeout: 20_000 });
});

it('the command rejects unknown scenarios and parameters', () => {
  expect(() => parseCommandLine([])).toThrow("There is no scenario ''.");
  expect(() => parseCommandLine(['storm', '--waiters', 'many'])).toThrow(
    '--waiters must be a number: got many',
  );
  expect(() => parseCommandLine(['storm', '--holders', '3'])).toThrow('--holders');
  expect(usage()).toContain('npm run scale -- kill-holder');
});
