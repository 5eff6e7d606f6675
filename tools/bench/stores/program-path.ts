import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The path of a program in a list of directories such as `PATH`. */
export function programIn(directories: string, program: string): string | undefined {
  return directories
    .split(delimiter)
    .map((directory) => join(directory, program))
    .find((path) => existsSync(path));
}
