import { isText, mustBe } from '../locking/option-checks.js';
import type { Option } from '../locking/option-table.js';

/** The option of decorators that names a lock service. */
export const SERVICE_OPTION: Option<string> = { check: mustBe('the name of a lock service', isText) };
