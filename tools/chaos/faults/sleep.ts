/** Waits `ms`; rejects when the run is aborted. */
export type Sleep = (ms: number) => Promise<void>;
