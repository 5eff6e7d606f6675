import { Logger } from '@nestjs/common';
import { compareServers } from './compare-servers.js';

Logger.overrideLogger(['warn', 'error']);
await compareServers();
