import { hasCode } from '../client/zookeeper-error.js';

/** What was read of a node; undefined if there is none. */
export async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (hasCode(error, 'NO_NODE')) return undefined;
    throw error;
  }
}
