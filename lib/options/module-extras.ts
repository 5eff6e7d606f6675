import type { OptionTable } from '../locking/option-table.js';
import { mustBe, isText, trueOrFalse } from '../locking/option-checks.js';
import type { LockModuleExtras } from './lock-module-extras.interface.js';

export const MODULE_EXTRAS = {
  isGlobal: { default: true, check: trueOrFalse },
  name: { check: mustBe('a non-empty string, or left out for the service without a name', isText) },
  exceptionFilter: { default: true, check: trueOrFalse },
} satisfies OptionTable<LockModuleExtras>;
