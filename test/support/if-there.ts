import { RawSessionError } from './raw-records.js';

const NO_NODE = -101;

/**
 * The answer of a server about a node, or undefined if the node does not exist. To call `exists` first is not enough:
 * the server can delete a container without children between the two requests.
 */
export async function ifThere<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RawSessionError && error.code === NO_NODE) return undefined;
    throw error;
  }
}
