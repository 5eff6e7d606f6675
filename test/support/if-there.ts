import { RawSessionError } from './raw-records.js';

const NO_NODE = -101;

/**
 * What a server answers about a node, or undefined if there is none. Asking `exists` first is no substitute: a container
 * without children can be reaped at any moment, also between two requests.
 */
export async function ifThere<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RawSessionError && error.code === NO_NODE) return undefined;
    throw error;
  }
}
