import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Guard } from '../../attempts/guard.interface.js';
import { fromJson, toJson } from '../../history/history-json.js';
import type { WriteReply, WriteRequest } from './guard-protocol.js';

/** The connection to the guarded resource: no fault affects it, so that only fencing can stop a stale write. */
export class GuardClient implements Guard {
  readonly #waiting = new Map<number, (accepted: boolean) => void>();
  readonly #socket: Socket;
  #id = 0;

  constructor(port: number) {
    this.#socket = connect({ host: '127.0.0.1', port });
    this.#socket.setNoDelay(true);
    createInterface({ input: this.#socket }).on('line', (line) => {
      const { id, accepted } = fromJson(line) as WriteReply;
      this.#waiting.get(id)?.(accepted);
      this.#waiting.delete(id);
    });
  }

  /** Sends the write synchronously; resolves with the guard's reply. */
  write(write: Omit<WriteRequest, 'id'>): Promise<boolean> {
    const request: WriteRequest = { id: (this.#id += 1), ...write };
    return new Promise((resolve) => {
      this.#waiting.set(request.id, resolve);
      this.#socket.write(`${toJson(request)}\n`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }
}
