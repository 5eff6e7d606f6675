import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { Logger } from '@nestjs/common';
import { createLockService, type LockModuleOptions, type LockMode } from 'nestjs-locked';

/** Takes a lock a number of times, and tells a witness of each hold, as `CuratorMember.java` does. */
interface MemberSettings {
  readonly options: LockModuleOptions;
  readonly resource: string;
  readonly modes: readonly LockMode[];
  readonly grants: number;
  readonly seat: string;
  readonly witnessPort: number;
}

const { options, resource, modes, grants, seat, witnessPort } = JSON.parse(
  process.argv[2]!,
) as MemberSettings;

// The parent has exited.
process.on('disconnect', () => process.exit());
Logger.overrideLogger(['error']);
const locks = await createLockService(options);
const witness = connect({ port: witnessPort, host: '127.0.0.1', noDelay: true });
await once(witness, 'connect');
const answers = createInterface({ input: witness });

async function tell(what: string): Promise<void> {
  const answered = once(answers, 'line');
  witness.write(`${what}\n`);
  await answered;
}

await tell(`hello ${seat}`);
for (let i = 0; i < grants; i += 1) {
  const held = await locks.lock(resource, { mode: modes[i % modes.length] });
  await tell(`begin ${held.mode}`);
  await tell('end');
  await held.release();
}
await locks.close();
witness.end();
process.disconnect();
