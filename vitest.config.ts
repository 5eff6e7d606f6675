import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.spec.ts'],
    // Two cores and real servers: more files at once would only make the servers miss their own ticks.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A rejection nobody handles is a defect of this library by definition (H46): never ignore one.
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
