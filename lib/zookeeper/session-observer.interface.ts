/** Why a session will never have a connection again. `closed`: by this process. */
export type SessionEnd = 'expired' | 'authenticationFailed' | 'closed';
