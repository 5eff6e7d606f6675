import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ZooKeeperTls } from './zookeeper-config.js';

const run = promisify(execFile);

export interface ClientTls {
  /** PEM strings for `node:tls`. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** A new certificate authority with one server and one client certificate. Needs `openssl`. */
export class Certificates implements AsyncDisposable {
  private constructor(
    private readonly directory: string,
    /** For `ZooKeeperServer.start({ tls })`. */
    readonly server: Pick<ZooKeeperTls, 'keyStore' | 'trustStore'>,
    /** For `tls.connect`. */
    readonly client: ClientTls,
  ) {}

  static async create(): Promise<Certificates> {
    const directory = await mkdtemp(join(tmpdir(), 'certificates-'));
    await createAuthority(directory);
    await Promise.all([sign(directory, 'server'), sign(directory, 'client')]);
    const text = (name: string): Promise<string> => readFile(join(directory, name), 'utf8');
    const keyStore = join(directory, 'server.pem');
    // ZooKeeper detects the format by the extension ".pem", and needs key and certificate in one file.
    await writeFile(keyStore, (await text('server.key')) + (await text('server.crt')));
    const client = {
      ca: await text('ca.pem'),
      cert: await text('client.crt'),
      key: await text('client.key'),
    };
    return new Certificates(directory, { keyStore, trustStore: join(directory, 'ca.pem') }, client);
  }

  /** Removes the files. */
  async remove(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

async function createAuthority(cwd: string): Promise<void> {
  const subject = ['-subj', '/CN=test authority', '-days', '2'];
  await run('openssl', ['req', '-x509', ...NEW_KEY, ...subject, '-keyout', 'ca.key', '-out', 'ca.pem'], {
    cwd,
  });
}

async function sign(cwd: string, name: string): Promise<void> {
  const request = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1,DNS:localhost'];
  const authority = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-CAserial', `${name}.srl`];
  await run(
    'openssl',
    ['req', '-new', ...NEW_KEY, ...request, '-keyout', `${name}.key`, '-out', `${name}.csr`],
    { cwd },
  );
  const output = ['-days', '2', '-copy_extensions', 'copy', '-out', `${name}.crt`];
  await run('openssl', ['x509', '-req', '-in', `${name}.csr`, ...authority, ...output], { cwd });
}
