import { CRASHES } from './crashes.js';
import { DEADLINES } from './deadlines.js';
import { LAST_HOLDERS } from './last-holders.js';
import { LATE_TOUCHES } from './late-touches.js';
import { LOCAL_QUEUES } from './local-queues.js';
import { LOST_REPLIES } from './lost-replies.js';
import { MIXED } from './mixed.js';
import { NEW_LOCKS } from './new-locks.js';
import { OPERATORS } from './operators.js';
import type { Profile } from './profile.interface.js';
import { RAISED_SESSIONS } from './raised-sessions.js';
import { RESTARTS } from './restarts.js';
import { TAKEOVERS } from './takeovers.js';

/** Of the profiles that are drawn. */
const DRAWN = {
  mixed: MIXED,
  crashes: CRASHES,
  deadlines: DEADLINES,
  'lost-replies': LOST_REPLIES,
  operators: OPERATORS,
  restarts: RESTARTS,
  'local-queues': LOCAL_QUEUES,
  takeovers: TAKEOVERS,
  'new-locks': NEW_LOCKS,
  'last-holders': LAST_HOLDERS,
  'late-touches': LATE_TOUCHES,
} satisfies Readonly<Record<string, Profile>>;

export const PROFILES = { ...DRAWN, 'raised-sessions': RAISED_SESSIONS };

export type ProfileName = keyof typeof PROFILES;

export function isProfileName(name: string): name is ProfileName {
  return Object.hasOwn(PROFILES, name);
}

/** A seed draws one of them. */
export const DRAWN_PROFILES: readonly Profile[] = [MIXED, ...Object.values(DRAWN)];
