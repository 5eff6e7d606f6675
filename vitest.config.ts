import { defineConfig } from 'vitest/config';
import { WalkReporter } from './test/faults/frame-walk/walk-reporter.js';
import { ResourceReporter } from './test/resources/resource-reporter.js';

export default defineConfig({
  test: {
    include: ['test/**/*.spec.ts'],
    setupFiles: ['test/support/strict-processes.ts', 'test/fixtures/console-logger.ts'],
    // What a passing test has logged is of no interest.
    silent: 'passed-only',
    reporters: [
      'default',
      ...(process.env['GITHUB_ACTIONS'] ? ['github-actions'] : []),
      new WalkReporter(),
      new ResourceReporter(),
    ],
    typecheck: { enabled: true, include: ['test/types/**/*.spec-d.ts'], tsconfig: './tsconfig.json' },
    // Two cores and real servers: more files at once would only make the servers miss their own ticks.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A rejection nobody handles is a defect of this library by definition (H46): never ignore one.
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
