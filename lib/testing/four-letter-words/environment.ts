import { freemem, hostname, platform, release, tmpdir, totalmem } from 'node:os';
import { lines } from './format.js';
import { VERSION } from './word-context.js';

const MEGABYTE = 2 ** 20;

/** `envi`: the environment of the server. */
export function envi(): string {
  return `Environment:\n${lines({
    'zookeeper.version': VERSION,
    'host.name': hostname(),
    'node.version': process.versions.node,
    'node.io.tmpdir': tmpdir(),
    'os.name': platform(),
    'os.arch': process.arch,
    'os.version': release(),
    'user.dir': process.cwd(),
    'os.memory.free': `${Math.floor(freemem() / MEGABYTE)}MB`,
    'os.memory.total': `${Math.floor(totalmem() / MEGABYTE)}MB`,
  })}`;
}
