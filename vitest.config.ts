import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.spec.ts'],
    // Whether a sabotaged lock is caught within seconds is up to chance: `npm run test:chaos` gives it the time.
    exclude: process.env['CHAOS'] === undefined ? ['test/chaos/sabotage.spec.ts'] : [],
    typecheck: { enabled: true, include: ['test/types/**/*.spec-d.ts'], tsconfig: './tsconfig.json' },
    // Two cores and real servers: more files at once would only make the servers miss their own ticks.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A rejection nobody handles is a defect of this library by definition (H46): never ignore one.
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
