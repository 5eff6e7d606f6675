/** Longest text in an owner record, in characters, because other processes print it in messages and logs. */
export const MAX_OWNER_TEXT = 1_024;
