import { Logger } from '@nestjs/common';
import { abortedWaits } from '../resources/aborted-waits.js';
import { contendedCycles } from '../resources/contended-cycles.js';
import { followSockets, ownResources } from '../resources/own-resources.js';
import { reconnects } from '../resources/reconnects.js';
import type {
  Measurement,
  ResourceCommand,
  ResourceMessage,
  ResourceSettings,
} from '../resources/resource-protocol.js';
import type { StartWork, Work, WorkName } from '../resources/work.interface.js';

const WORKS: Record<WorkName, StartWork> = { contendedCycles, abortedWaits, reconnects };

function send(message: ResourceMessage): void {
  process.send?.(message);
}

async function measure({ signals, counts }: Work): Promise<Measurement> {
  return { resources: await ownResources(signals), counts };
}

async function execute(work: Work, command: ResourceCommand): Promise<void> {
  if (command.type === 'run') await work.run(command.cycles);
  if (command.type === 'close') await work.close();
  send({ type: 'done', measurement: command.type === 'run' ? undefined : await measure(work) });
  // After this, nothing of the library may keep this process alive.
  if (command.type === 'close') process.disconnect();
}

Logger.overrideLogger(['error', 'fatal']);
followSockets();
const { work: name, options } = JSON.parse(process.argv[2]!) as ResourceSettings;
const work = await WORKS[name](options, () => send({ type: 'cut' }));
process.on('message', (command: ResourceCommand) => void execute(work, command));
send({ type: 'done' });
