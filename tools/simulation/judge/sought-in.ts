import type { ProfileName } from '../scenario/profiles/profiles.js';

/** Mutants that are found in runs of one profile, of which a search of all profiles has too few. */
export const SOUGHT_IN: ReadonlyMap<string, ProfileName> = new Map<string, ProfileName>([
  ['no margin', 'late-touches'],
  ['a deadline told late', 'deadlines'],
  ['freed by a shutdown under its work', 'restarts'],
]);
