import type { Endpoint } from '../../test/support/raw-connection.js';
import type { ByteProxyCommands, ByteProxySettings } from './process/byte-proxy-commands.js';
import { RemoteProcess } from './process/remote-process.js';

/**
 * A proxy in a separate process that forwards bytes and counts requests. The fault proxy, which parses every frame, would
 * be the bottleneck for thousands of waiters.
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
