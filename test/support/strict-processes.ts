import { pathToFileURL } from 'node:url';
import './fatal-warnings.js';

/** Every process that a test starts is as strict as the one of the test itself, whoever starts it. */
const FATAL_WARNINGS = pathToFileURL('build/test/support/fatal-warnings.js').href;

process.env['NODE_OPTIONS'] = [
  process.env['NODE_OPTIONS'] ?? '',
  '--unhandled-rejections=strict',
  `--import=${FATAL_WARNINGS}`,
]
  .join(' ')
  .trim();
