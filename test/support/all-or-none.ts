/** Waits for all of them. If one fails to start, the others are disposed of before its error is thrown. */
export async function allOrNone<T extends readonly AsyncDisposable[]>(starting: {
  [K in keyof T]: Promise<T[K]>;
}): Promise<T> {
  const outcomes = await Promise.allSettled(starting);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (failed === undefined) return started as readonly AsyncDisposable[] as T;
  await Promise.allSettled(started.map((one) => one[Symbol.asyncDispose]()));
  throw failed.reason;
}
