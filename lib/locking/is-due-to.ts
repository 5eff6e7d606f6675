/** True if code stopped because of `reason`: it rejects with that, or, as Node's APIs do, with that as cause. */
export function isDueTo(reason: Error, error: unknown): boolean {
  return error === reason || (error instanceof Error && error.cause === reason);
}
