import { defineConfig } from 'vitest/config';
import { ResourceReporter } from './test/resources/resource-reporter.js';
import { SHARED, specs, WITH_JAVA } from './vitest.config.js';

/** What takes too long for every change: many cycles, many waiters, random search, and the applications on real servers. */
export default defineConfig({
  test: {
    ...SHARED,
    ...WITH_JAVA,
    // Each of them keeps the machine busy.
    maxWorkers: 2,
    include: specs('soak.spec', 'e2e.spec'),
    env: { PROJECT_SERVER: 'real' },
    reporters: [
      'default',
      ...(process.env['GITHUB_ACTIONS'] ? ['github-actions'] : []),
      new ResourceReporter(),
    ],
  },
});
