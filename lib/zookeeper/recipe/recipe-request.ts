import type { EnterRequest } from '../../locking/lock-provider.interface.js';
import type { ContactLimit } from '../session/contact-limit.js';

/** A request whose abort also ends it when its session has no contact for too long. */
export interface RecipeRequest extends EnterRequest {
  readonly abort: ContactLimit;
}
