import { pathToFileURL } from 'node:url';
import './fatal-warnings.js';

/** Makes warnings fatal in all processes that a test starts directly or indirectly, as in the process of the test. */
const FATAL_WARNINGS = pathToFileURL('build/test/support/fatal-warnings.js').href;

const STRICT = `--unhandled-rejections=strict --import=${FATAL_WARNINGS}`;

// Vitest runs this before each spec, in a worker that has run other specs.
const given = process.env['NODE_OPTIONS'] ?? '';
if (!given.includes(STRICT)) process.env['NODE_OPTIONS'] = `${given} ${STRICT}`.trim();
