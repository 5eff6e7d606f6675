const SUFFIX = '-simple';

/** The name of a resource whose locks have no queue, for all attempts: locks with and without one cannot wait for each other. */
export function simpleResource(name: string): string {
  return name + SUFFIX;
}

export function isSimpleResource(name: string): boolean {
  return name.endsWith(SUFFIX);
}
