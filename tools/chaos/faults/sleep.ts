/** Waits so many ms; rejects when the run is given up. */
export type Sleep = (ms: number) => Promise<void>;
