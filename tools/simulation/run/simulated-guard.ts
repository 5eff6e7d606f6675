import type { ServerAddress } from '../../../lib/zookeeper/connect-string.js';
import { closeSession } from '../../../lib/zookeeper/guard/close-session.js';
import { GuardDuty } from '../../../lib/zookeeper/guard/guard-duty.js';
import type { GuardMessage } from '../../../lib/zookeeper/guard/guard-message.js';
import { GuardedSessions } from '../../../lib/zookeeper/guard/guarded-sessions.js';
import type { SessionGuard } from '../../../lib/zookeeper/guard/session-guard.interface.js';
import type { ServerSession } from '../../../lib/zookeeper/session/server-session.js';
import type { Path } from '../network/path.js';
import { EventLoop } from '../world/event-loop.js';
import type { World } from './world.js';

/** How long Node and the program of a guard take to start, ms. */
const START_MS = { min: 20, max: 300 };
/** Of the deaths: the guard dies together with its process, as when a container is killed. */
const COMMON_DEATHS = 0.25;
const MESSAGE_BYTES = 200;

/** The duty of the crash guard of a process, in a process of its own on the same host. */
export class SimulatedGuard implements SessionGuard {
  readonly #sessions = new GuardedSessions((message) => this.#pipe?.send(message, MESSAGE_BYTES));
  readonly #random;
  #loop: EventLoop | undefined;
  #pipe: Path<GuardMessage | 'end'> | undefined;

  /** @param pid of the process, which differs from that of any other one of the host */
  constructor(
    private readonly world: World,
    private readonly parent: EventLoop,
    private readonly pid: number,
    private readonly servers: readonly ServerAddress[],
  ) {
    this.#random = world.random.fork(`guard of ${parent.name}.${pid} at ${servers[0]?.host}`);
  }

  open(): void {
    const { scheduler, network } = this.world;
    const loop = new EventLoop({
      name: this.parent.name,
      scheduler,
      random: this.#random.fork('thread'),
      rate: 1,
      wallRate: 1,
    });
    this.#loop = loop;
    const duty = this.#duty(loop);
    this.#pipe = network.channel<GuardMessage | 'end'>(this.parent, loop, (item) => {
      if (item !== 'end') duty.receive(item);
      else void duty.pipeEnded().finally(() => loop.kill());
    });
    // What arrives earlier waits in the pipe.
    loop.block(this.#random.between(START_MS.min, START_MS.max));
    const process = { pid: this.pid, servers: this.servers, auth: [] };
    this.#pipe.send({ kind: 'guard', process }, MESSAGE_BYTES);
  }

  watch(session: ServerSession): void {
    this.#sessions.watch(session);
  }

  async close(): Promise<void> {
    this.#loop?.kill();
  }

  /** The process is killed: the operating system closes its end of the pipe. */
  parentKilled(): void {
    if (this.#random.chance(COMMON_DEATHS)) this.#loop?.kill();
    else this.#pipe?.send('end', 1, this.world.scheduler.now);
  }

  #duty(loop: EventLoop): GuardDuty {
    const { clock } = loop;
    const openSocket = this.world.network.connector(loop);
    const random = this.#random.fork('choices');
    return new GuardDuty({
      clock,
      isDead: () => this.parent.state === 'dead',
      closeSession: (session, { servers, auth }, limit) =>
        closeSession(session, limit, { servers, auth, clock, random, openSocket }),
    });
  }
}
