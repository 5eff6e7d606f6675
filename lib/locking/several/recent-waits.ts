import { dropOldest } from '../drop-oldest.js';

/** How many resources are remembered. One that is forgotten costs a node that is created in vain. */
const MOST_RESOURCES = 1_000;

/** The resources that had to be waited for when they were last asked for together with others. */
export class RecentWaits {
  readonly #resources = new Set<string>();

  has(resource: string): boolean {
    return this.#resources.has(resource);
  }

  granted(resource: string): void {
    this.#resources.delete(resource);
  }

  waited(resource: string): void {
    this.#resources.delete(resource);
    this.#resources.add(resource);
    dropOldest(this.#resources, MOST_RESOURCES);
  }
}
