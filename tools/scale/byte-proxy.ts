import type { Endpoint } from '../../test/support/raw-connection.js';
import type { ByteProxyCommands, ByteProxySettings } from './process/byte-proxy-commands.js';
import { RemoteProcess } from './process/remote-process.js';

/**
 * Stands between clients and a server in a process of its own. It passes bytes on and counts requests; the fault proxy,
 * which understands every frame, would itself be what a thousand waiters wait for.
 */
export class ByteProxy implements AsyncDisposable {
  private constructor(
    private readonly process: RemoteProcess<ByteProxyCommands>,
    readonly connectString: string,
  ) {}

  static async start({ host, port }: Endpoint): Promise<ByteProxy> {
    const settings: ByteProxySettings = { target: { host, port } };
    const process = await RemoteProcess.start<ByteProxyCommands>('byte-proxy', settings);
    return new ByteProxy(process, `${host}:${await process.call('port')}`);
  }

  get call(): RemoteProcess<ByteProxyCommands>['call'] {
    return this.process.call.bind(this.process);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.process.kill();
  }
}
