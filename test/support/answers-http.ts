/**
 * True once an HTTP server on this loopback port has answered a request; rejects before. Nest's log cannot be waited for
 * instead: it says that the application has started before it listens.
 */
export async function answersHttp(port: number): Promise<boolean> {
  const response = await fetch(`http://localhost:${port}/`);
  await response.body?.cancel();
  return true;
}
