/** Length of a session password, in bytes. */
export const SESSION_PASSWORD_BYTES = 16;
