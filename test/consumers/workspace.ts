import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Consumer } from './consumers.js';
import { run } from './program.js';

const SOURCES = join(process.cwd(), 'test/consumers');
const NPM_OPTIONS = '--prefer-offline --no-audit --no-fund --loglevel=error';

/** Outside of the repository, whose own node_modules would otherwise lend what an application has not installed. */
export class Workspace implements Disposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'nestjs-locked-consumers-'));
  #tarball = '';

  /** What `npm publish` would upload. */
  get tarball(): string {
    return this.#tarball;
  }

  async pack(): Promise<void> {
    const packed = await run(`npm pack --silent --pack-destination '${this.directory}'`, {
      cwd: process.cwd(),
    });
    this.#tarball = join(this.directory, packed.trim());
  }

  /** What is locked, and the tarball, as `npm install nestjs-locked` would add it. */
  async install(name: string): Promise<void> {
    const cwd = join(this.directory, name);
    cpSync(join(SOURCES, 'installs', name), cwd, { recursive: true });
    await run(`npm install --ignore-scripts ${NPM_OPTIONS} '${this.#tarball}'`, { cwd });
  }

  /** What is locked, without the package. */
  async installLocked(name: string, cwd: string): Promise<void> {
    cpSync(join(SOURCES, 'installs', name), cwd, { recursive: true });
    await run(`npm ci --ignore-scripts ${NPM_OPTIONS}`, { cwd });
  }

  /** Puts an application below what is installed for it: Node, TypeScript and npm find that by climbing up. */
  unfold({ name, install, layers }: Consumer): string {
    const directory = join(this.directory, install, name);
    for (const layer of layers) cpSync(join(SOURCES, 'apps', layer), directory, { recursive: true });
    return directory;
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
