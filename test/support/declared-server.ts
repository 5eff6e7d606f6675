import { expect } from 'vitest';

/**
 * The name of a spec declares whether it needs a server, its project decides which. Vitest runs this before each spec, in
 * a worker that has run other specs.
 */
const declared = /\.(server|e2e|zookeeper|soak)\.spec\.ts$/.test(expect.getState().testPath ?? '');
process.env['TEST_SERVER'] = declared ? process.env['PROJECT_SERVER'] : 'none';
