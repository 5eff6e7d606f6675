import { Logger } from '@nestjs/common';
import { benchLocks } from './locks.js';
import { benchServers } from './servers.js';

Logger.overrideLogger(['warn', 'error']);
await benchLocks();
await benchServers();
