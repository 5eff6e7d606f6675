import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import type { GuardedWrite } from '../../history/run-history.js';
import { fromJson, toJson } from '../../history/history-json.js';
import { JournalFile } from '../../history/journal-file.js';
import type { GuardMessage, GuardSettings, WriteReply, WriteRequest } from '../worker/guard-protocol.js';

const { journal: path } = fromJson(process.argv[2]!) as GuardSettings;
const journal = new JournalFile<GuardedWrite>(path);
const highest = new Map<string, bigint>();

/** Fences off stale writers: rejects a token that is smaller than the largest so far. */
function handle({ id, ...write }: WriteRequest): WriteReply {
  const accepted = write.token >= (highest.get(write.resource) ?? 0n);
  if (accepted) highest.set(write.resource, write.token);
  journal.write({ at: process.hrtime.bigint(), ...write, accepted });
  return { id, accepted };
}

const server = createServer((socket) => {
  const lines = createInterface({ input: socket });
  // A killed writer resets its connection, and its last line may be incomplete.
  lines.on('error', () => socket.destroy());
  lines.on('line', (line) => {
    if (line.endsWith('}')) socket.write(`${toJson(handle(fromJson(line) as WriteRequest))}\n`);
  });
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ type: 'listening', port } satisfies GuardMessage);
});
// The parent has exited: there are no more writers.
process.on('disconnect', () => process.exit());
