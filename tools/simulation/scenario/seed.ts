import { isProfileName, PROFILES, type ProfileName } from './profiles/profiles.js';
import type { Profile } from './profiles/profile.interface.js';

/** The name of a seed: its number, and the profile of its run if the seed does not draw that as well. */
export function seedName(number: number, profile?: ProfileName): string {
  return profile === undefined ? String(number) : `${profile}/${number}`;
}

/** Undefined if the seed draws it. @throws Error if there is no profile of that name */
export function profileOf(seed: string): Profile | undefined {
  const end = seed.indexOf('/');
  return end < 0 ? undefined : PROFILES[assertProfileName(seed.slice(0, end))];
}

/** @throws Error if there is no profile of that name */
export function assertProfileName(name: string): ProfileName {
  if (isProfileName(name)) return name;
  throw new Error(`There is no profile '${name}': the profiles are ${Object.keys(PROFILES).join(', ')}`);
}
