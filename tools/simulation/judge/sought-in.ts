import type { ProfileName } from '../scenario/profiles/profiles.js';

/**
 * Mutants that are found in runs of one profile, of which a search of all profiles has too few. `no margin` takes some 200 of
 * them: give it `--limit 300`.
 */
export const SOUGHT_IN: ReadonlyMap<string, ProfileName> = new Map<string, ProfileName>([
  ['no margin', 'late-touches'],
  ['a deadline told late', 'deadlines'],
  ['a session continued with a longer timeout', 'raised-sessions'],
  ['freed by a shutdown under its work', 'restarts'],
]);
