/** Longest text in an owner record, in characters: it ends in messages and logs of others. */
export const MAX_OWNER_TEXT = 1_024;
