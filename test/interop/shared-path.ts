import type { LockMode } from '../../lib/index.js';
import { eventually } from '../support/eventually.js';
import { RawSession } from '../support/raw-session.js';
import type { TestServer } from '../support/test-server.js';
import { killMember, startMember, type Member } from './members.js';
import { libraryOf, Witness } from './witness.js';

/** Two processes of ours and two of Curator. */
const SEATS = ['ours-1', 'curator-1', 'ours-2', 'curator-2'] as const;
type Seat = (typeof SEATS)[number];

export interface SharedPathPlan {
  readonly modes: readonly LockMode[];
  readonly grantsPerSeat: number;
  /**
   * Kills, one after the other: of a member that holds the lock, and at the same moment of one that waits for it, or of another one
   * if that has had all its grants.
   */
  readonly kills?: readonly { readonly holder: Seat; readonly waiter: Seat }[];
  /** Curator has another lock. */
  readonly apart?: boolean;
  /** How many must hold the lock at the same time before any of them may go on. */
  readonly meet?: number;
}

export interface SharedPathReport extends Pick<Witness, 'overlaps' | 'sharedReads' | 'changes'> {
  /** Of each seat. */
  readonly grants: readonly number[];
  readonly kills: readonly Seat[];
  /** Nodes under the lock paths in the end. */
  readonly left: readonly string[];
}

const SESSION_TIMEOUT_MS = 4_000;
const HOLD_MS = 3;
let roots = 0;

/** Four processes that take one lock until each has had it `grantsPerSeat` times, also if it was killed in between. */
class SharedPath implements AsyncDisposable {
  readonly kills: Seat[] = [];
  readonly #root = `/shared-${(roots += 1)}`;
  readonly #started: Member[] = [];
  readonly #seated = new Map<Seat, Member>();

  constructor(
    private readonly plan: SharedPathPlan,
    private readonly server: TestServer,
    private readonly witness: Witness,
  ) {}

  async run(): Promise<void> {
    const { kills = [], grantsPerSeat } = this.plan;
    await this.#createPaths();
    for (const seat of SEATS) this.#seat(seat);
    if (this.plan.meet === undefined) await this.#beginTogether();
    for (const [i, { holder, waiter }] of kills.entries()) {
      const from = Math.ceil((grantsPerSeat * (i + 1)) / (kills.length + 1));
      await Promise.race([this.#allQueuedBehind(holder, from), this.#failed()]);
      const waiters = this.#living.filter((seat) => seat !== holder);
      const killed = waiters.includes(waiter) ? waiter : waiters[0];
      this.#replace(holder);
      if (killed !== undefined) this.#replace(killed);
    }
    await this.#ended();
  }

  async nodes(): Promise<string[]> {
    await using session = await RawSession.connect(this.server);
    return (await Promise.all(this.#lockPaths.map((path) => session.getChildren(path)))).flat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#started.map((member) => member[Symbol.asyncDispose]()));
  }

  get #lockPaths(): string[] {
    return ['ours', 'curator'].map((resource) => `${this.#root}/${resource}`);
  }

  async #createPaths(): Promise<void> {
    await using session = await RawSession.connect(this.server);
    for (const path of [this.#root, ...this.#lockPaths]) await session.create2(path);
  }

  #seat(seat: Seat): void {
    const { server, witness, plan } = this;
    const member = startMember({
      connectString: server.connectString,
      sessionTimeout: SESSION_TIMEOUT_MS,
      root: this.#root,
      resource: plan.apart === true ? libraryOf(seat) : 'ours',
      modes: plan.modes,
      grants: plan.grantsPerSeat - witness.grantsOf(seat),
      seat,
      witnessPort: witness.port,
    });
    this.#started.push(member);
    this.#seated.set(seat, member);
  }

  /** Without an `await` between the end of the process and what the witness knows of it. */
  #replace(seat: Seat): void {
    killMember(this.#seated.get(seat)!);
    this.witness.died(seat);
    this.kills.push(seat);
    this.#seat(seat);
  }

  /** Those that have not had all their grants. */
  get #living(): Seat[] {
    return SEATS.filter((seat) => this.#seated.get(seat)?.hasEnded === false);
  }

  /** Otherwise the fastest could have had all its grants before the next one asks. */
  async #beginTogether(): Promise<void> {
    await Promise.race([this.#allQueued(), this.#failed()]);
    this.witness.letGo();
  }

  async #allQueuedBehind(holder: Seat, from: number): Promise<void> {
    await this.witness.hangs(holder, from);
    await this.#allQueued();
  }

  async #allQueued(): Promise<void> {
    await eventually(async () => (await this.nodes()).length === this.#living.length);
  }

  /** Rejects as soon as a process has failed. */
  async #failed(): Promise<never> {
    await this.#ended();
    throw new Error('All processes have ended before one of them was killed');
  }

  /** Rejects as soon as a process has failed. */
  async #ended(): Promise<void> {
    await Promise.all([...this.#seated.values()].map(({ ended }) => ended));
  }
}

export async function sharePath(server: TestServer, plan: SharedPathPlan): Promise<SharedPathReport> {
  await using witness = await Witness.start({ seats: SEATS, holdMs: HOLD_MS, meet: plan.meet });
  await using shared = new SharedPath(plan, server, witness);
  await shared.run();
  const { overlaps, sharedReads, changes } = witness;
  const grants = SEATS.map((seat) => witness.grantsOf(seat));
  return { overlaps, sharedReads, changes, grants, kills: shared.kills, left: await shared.nodes() };
}
