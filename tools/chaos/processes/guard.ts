import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import type { GuardedWrite } from '../history/chaos-history.js';
import { fromJson, toJson } from '../history/history-json.js';
import { Journal } from '../history/journal.js';
import type { GuardMessage, GuardSettings, WriteReply, WriteRequest } from '../worker/guard-protocol.js';

const { journal: path } = fromJson(process.argv[2]!) as GuardSettings;
const journal = new Journal<GuardedWrite>(path);
const highest = new Map<string, bigint>();

/** What a resource does that wants to be safe from late writers: no token smaller than the largest it has seen. */
function judge({ id, ...write }: WriteRequest): WriteReply {
  const accepted = write.token >= (highest.get(write.resource) ?? 0n);
  if (accepted) highest.set(write.resource, write.token);
  journal.write({ at: process.hrtime.bigint(), ...write, accepted });
  return { id, accepted };
}

const server = createServer((socket) => {
  const lines = createInterface({ input: socket });
  // A writer that was killed: its connection is reset, and its last line may be torn.
  lines.on('error', () => socket.destroy());
  lines.on('line', (line) => {
    if (line.endsWith('}')) socket.write(`${toJson(judge(fromJson(line) as WriteRequest))}\n`);
  });
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.send?.({ type: 'listening', port } satisfies GuardMessage);
});
// The run has ended, or has died: nobody writes any more.
process.on('disconnect', () => process.exit());
