import type { ZooKeeperService } from '../../../lib/testing/server/zookeeper-service.js';
import type { Session } from '../../../lib/testing/sessions/session-table.js';
import { OPEN_ACL } from '../../../lib/zookeeper/protocol/acl.js';
import { CREATE_FLAGS } from '../../../lib/zookeeper/protocol/create-flags.js';
import { OP } from '../../../lib/zookeeper/protocol/op-codes.js';
import { fencingToken } from '../../../lib/zookeeper/recipe/fencing-token.js';
import { nameOf } from '../../../lib/zookeeper/recipe/lock-path.js';
import type { LockMode } from '../../../lib/index.js';
import type { Journal } from '../../history/journal.interface.js';
import { nanoseconds } from '../../history/moments.js';
import type { Incarnation } from '../../history/run-history.js';
import type { SimulatedEnsemble } from '../ensemble/simulated-ensemble.js';
import {
  contendersOf,
  DIRECT_SESSION_TIMEOUT_MS,
  leaderOf,
  numberOf,
  pathOf,
  type DirectAccess,
} from './direct-access.js';
import type { World } from './world.js';

const WRITER = '__WRIT__';
const READER = '__READ__';
/** How often it looks at the queue, ms. */
const LOOK_MS = 5;
/** How long a writer writes before it goes on as a reader, ms. */
const WRITE_MS = 100;

/** A user that nobody else is. */
const PRIVATE_ACL = [{ ...OPEN_ACL[0]!, scheme: 'digest', id: 'curator:x' }];

/** What its nodes look like. */
export interface ForeignName {
  /** Up to the sequence number. */
  readonly prefix: string;
  /** Nobody else may read them. */
  readonly isPrivate: boolean;
}

interface Node {
  readonly path: string;
  readonly czxid: bigint;
}

/**
 * A contender of another library, such as Curator: it has the lock when nobody is ahead of it, a reader when only readers are.
 * A writer that has the lock for long acquires the read lock too, with the number of its write lock, and releases the write
 * lock then (CURATOR-621).
 */
export class ForeignContender {
  readonly #session: Session;
  readonly #journal: Journal;
  readonly #from: number;
  #to: number | undefined;
  /** Counts its attempts. */
  #number = 1;
  #mode: LockMode;
  #node: Node | undefined;
  /** Of the writer that it was, if it reads now: it keeps that place. */
  #token = 0n;
  #grantedAt: number | undefined;
  #wasThere = true;
  /** Records that its write lock is released. A leader that stops first never says so, but the end of the session removes the node. */
  #leftBehind: (() => void) | undefined;
  #isLeaving = false;
  /** Whom it has asked to close its session. */
  #closing: ZooKeeperService | undefined;

  constructor(
    private readonly actor: string,
    private readonly resource: string,
    private readonly name: ForeignName,
    private readonly ensemble: SimulatedEnsemble,
    private readonly access: DirectAccess,
    private readonly world: Pick<World, 'recorder' | 'scheduler'>,
  ) {
    const { recorder, scheduler } = world;
    this.#from = scheduler.now;
    this.#journal = recorder.journal(actor, () => scheduler.now);
    this.#mode = modeOf(name.prefix);
    this.#session = access.open(this.#leader!);
    this.#ask();
    this.#create(name.prefix, 'ephemeral-sequential', (node) => {
      this.#node = node;
      this.#token = fencingToken(node.czxid);
    });
    this.#lookLater();
  }

  get incarnation(): Incarnation {
    const { scheduler } = this.world;
    return {
      actor: this.actor,
      process: 0,
      foreign: true,
      isPrivate: this.name.isPrivate,
      sessionTimeout: DIRECT_SESSION_TIMEOUT_MS,
      connectTimeout: DIRECT_SESSION_TIMEOUT_MS,
      from: nanoseconds(this.#from),
      to: nanoseconds(this.#to ?? scheduler.now),
      end: 'closed',
    };
  }

  leave(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    if (this.#grantedAt !== undefined) return this.#releasing();
    const attempt = this.#attempt;
    this.#journal.write({ what: 'aborting', attempt });
    this.#journal.write({ what: 'ended', attempt, outcome: 'aborted' });
  }

  get #attempt(): string {
    return `${this.actor}#${this.#number}`;
  }

  get #leader(): ZooKeeperService | undefined {
    return leaderOf(this.ensemble);
  }

  #lookLater(): void {
    const { scheduler } = this.world;
    scheduler.schedule(scheduler.now + LOOK_MS, () => this.#look());
  }

  #look(): void {
    if (this.#isLeaving) this.#close();
    if (this.#to !== undefined) return;
    this.#lookLater();
    if (this.#node === undefined || this.#isLeaving) return;
    if (!this.#isThere()) this.leave();
    else if (this.#grantedAt === undefined) this.#tryLock(this.#node);
    else if (this.#mode === 'write' && this.world.scheduler.now >= this.#grantedAt + WRITE_MS)
      this.#downgrade(this.#node);
  }

  #tryLock({ path }: Node): void {
    const leader = this.#leader;
    if (leader === undefined) return;
    const number = numberOf(path);
    const blocks = (other: string): boolean =>
      numberOf(other) < number && !(this.#mode === 'read' && modeOf(other) === 'read');
    if (!contendersOf(this.resource, leader).some(blocks)) this.#granted();
  }

  #downgrade(written: Node): void {
    this.#mode = 'read';
    const name = nameOf(written.path).replace(WRITER, READER);
    this.#create(name, 'ephemeral', (read, leader) => {
      if (this.#isLeaving) return;
      // An operator has deleted it.
      if (!this.#isThere()) return this.leave();
      const { path } = written;
      this.#releasing();
      const attempt = this.#attempt;
      this.#leftBehind = () => {
        this.#leftBehind = undefined;
        this.#journal.write({ what: 'released', attempt, outcome: 'kept' });
      };
      this.access.change(leader, this.#session, { op: OP.DELETE, path, version: -1 }, () =>
        this.#leftBehind?.(),
      );
      this.#number += 1;
      this.#node = read;
      this.#ask(attempt);
      this.#granted();
    });
  }

  #ask(nestedIn?: string): void {
    const { resource } = this;
    const terms = { mode: this.#mode, ttl: 0, minHold: 0, ...(nestedIn && { nestedIn }) };
    this.#journal.write({ what: 'asked', attempt: this.#attempt, resource, verb: 'lock', ...terms });
  }

  #granted(): void {
    this.#grantedAt = this.world.scheduler.now;
    const grant = { what: 'granted', attempt: this.#attempt, token: this.#token } as const;
    this.#journal.writeHeld(this.#isThere, (held) => ({ ...grant, held }));
  }

  #releasing(): void {
    this.#journal.writeHeld(this.#isThere, (held) => ({ what: 'releasing', attempt: this.#attempt, held }));
  }

  #gone(): void {
    if (this.#to !== undefined) return;
    this.#to = this.world.scheduler.now;
    this.#leftBehind?.();
    if (this.#grantedAt === undefined) return;
    const outcome = this.#wasThere ? 'kept' : 'lost';
    this.#journal.write({ what: 'released', attempt: this.#attempt, outcome });
  }

  /** Whether its node exists. Without a leader, nothing has happened to it. */
  readonly #isThere = (): boolean => {
    const tree = this.#leader?.store.tree;
    const { path, czxid } = this.#node!;
    if (tree !== undefined && this.#wasThere) this.#wasThere = tree.get(path)?.czxid === czxid;
    return this.#wasThere;
  };

  /** Asks each new leader again, because the one before may have stopped first. Only the reply tells that the session is closed. */
  #close(): void {
    const leader = this.#leader;
    if (leader === undefined || leader === this.#closing) return;
    this.#closing = leader;
    this.access.close(leader, this.#session, () => this.#gone());
  }

  #create(
    name: string,
    mode: 'ephemeral' | 'ephemeral-sequential',
    created: (node: Node, leader: ZooKeeperService) => void,
  ): void {
    const leader = this.#leader;
    if (leader === undefined) return;
    const path = `${pathOf(this.resource)}/${name}`;
    const data = Buffer.from('foreign');
    const request = {
      op: OP.CREATE2,
      path,
      data,
      acl: [...(this.name.isPrivate ? PRIVATE_ACL : OPEN_ACL)],
      flags: CREATE_FLAGS[mode],
      ttl: -1n,
    };
    this.access.change(leader, this.#session, request, ({ outcomes: [made] }) => {
      if (made !== undefined && 'stat' in made) created({ path: made.path, czxid: made.stat!.czxid }, leader);
    });
  }
}

function modeOf(name: string): LockMode {
  if (name.includes(READER)) return 'read';
  return name.includes(WRITER) ? 'write' : 'exclusive';
}
