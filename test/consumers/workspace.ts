import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Consumer } from './consumers.js';
import { run } from './program.js';

const SOURCES = join(process.cwd(), 'test/consumers');
const NPM_OPTIONS = '--prefer-offline --no-audit --no-fund --loglevel=error';

/** Outside of the repository, whose node_modules would hide missing packages of an application. */
export class Workspace implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'nestjs-locked-consumers-'));
  #tarball = '';

  /** The path of the tarball that `npm publish` would upload. */
  get tarball(): string {
    return this.#tarball;
  }

  async pack(): Promise<void> {
    const packed = await run(`npm pack --silent --pack-destination '${this.directory}'`, {
      cwd: process.cwd(),
    });
    this.#tarball = join(this.directory, packed.trim());
  }

  /** Installs the locked packages and the tarball, like `npm install nestjs-locked`. */
  async install(name: string): Promise<void> {
    const cwd = join(this.directory, name);
    cpSync(join(SOURCES, 'installs', name), cwd, { recursive: true });
    await run(`npm install --ignore-scripts ${NPM_OPTIONS} '${this.#tarball}'`, { cwd });
  }

  /** Installs the locked packages without the tarball. */
  async installLocked(name: string, cwd: string): Promise<void> {
    cpSync(join(SOURCES, 'installs', name), cwd, { recursive: true });
    await run(`npm ci --ignore-scripts ${NPM_OPTIONS}`, { cwd });
  }

  /**
   * Copies an application below its installed packages, where Node, TypeScript and npm find them in a parent directory.
   */
  unfold({ name, install, layers }: Consumer): string {
    const directory = join(this.directory, install, name);
    for (const layer of layers) cpSync(join(SOURCES, 'apps', layer), directory, { recursive: true });
    return directory;
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
