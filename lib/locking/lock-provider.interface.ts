import type { Abort } from './abort.js';
import type { LossReason } from './errors/lock-lost.error.js';

/**
 * Who may hold the lock at the same time: with `read`, any number of others with `read`; with `semaphore`, as many with
 * `semaphore` as there are permits; with `exclusive` and `write`, nobody else. To Java clients, `exclusive` is Curator's
 * `InterProcessMutex`; `read` and `write` are its `InterProcessReadWriteLock`.
 *
 * @publicApi
 */
export type LockMode = 'exclusive' | 'read' | 'write' | 'semaphore';

/**
 * What becomes of a held lock when its holder fails: with `open`, others can have it after the session timeout; with `closed`,
 * nobody has it before its owner comes back, or a person frees it.
 *
 * @publicApi
 */
export type LockFailure = 'open' | 'closed';

/** Who holds a lock or waits for it, as other processes can read it. Contains no secrets. @publicApi */
export interface OwnerRecord {
  readonly owner: string;
  readonly host: string;
  readonly pid: number;
  /** When the contender asked, ISO 8601. */
  readonly since: string;
  /** What the lock is for. */
  readonly purpose?: string;
}

/** The connection of a session, for logs. @publicApi */
export interface ConnectionInfo {
  /** Session id as ZooKeeper prints it, `0x...`. */
  readonly session: string;
  /** `host:port` of the server in use. */
  readonly server: string;
  /** Negotiated session timeout, ms. */
  readonly sessionTimeout: number;
}

/**
 * How a provider reports its contact with the store, in this grammar:
 * `ready (suspended resumed)* (suspended? sessionExpired ready ...)* authenticationFailed?`.
 */
export interface LockProviderListener {
  ready(info: ConnectionInfo): void;
  suspended(cause: Error): void;
  resumed(info: ConnectionInfo): void;
  /** @param session id of the one that has ended, as in `ConnectionInfo`; of several, not all are named there */
  sessionExpired(session: string): void;
  authenticationFailed(): void;
  /** `server` could not be reached; the next one is tried, for as long as it takes. */
  attemptFailed(server: string, cause: Error): void;
  /** Something an operator should read once; never an error of an acquisition. */
  warning(message: string): void;
  /** Calls `tell`, which tells many grants of their loss: nobody else is to learn of the first before the last one knows. */
  together?(tell: () => void): void;
}

/** Why there is no contact with the store. */
export interface StoreTrouble {
  readonly what: string;
  readonly cause: Error;
  /** What to try, if there is more to try than usual. */
  readonly hint?: string;
}

/** Where an attempt stands in the queue. */
export interface QueuedPlace {
  /** It stood there before and lost its place. */
  readonly requeued: boolean;
  /** How many contenders are ahead. */
  readonly ahead: number;
  /** How many of those hold the lock: several only if all of them read, or have permits. */
  readonly holders: number;
  /** False if the store has not answered lately: then it is unknown whether the lock is still busy. */
  inContact(): boolean;
}

/** Who is directly ahead in the queue. */
export interface Predecessor {
  readonly owner: string;
  /** It holds the lock, and nobody else can have that before this owner comes back, or a person frees it. Absent: no. */
  readonly staysClosed?: boolean;
}

export interface EnterRequest {
  readonly resource: string;
  readonly mode: LockMode;
  /** `closed` only with `exclusive` and `write`. */
  readonly failure: LockFailure;
  /** False, only with `exclusive`: there is no queue, and all who wait try again when the lock is released. */
  readonly fair: boolean;
  /** With `semaphore`, and only then: how many may hold the lock at the same time. */
  readonly permits?: number | undefined;
  readonly owner: OwnerRecord;
  /** One attempt: answers `busy` instead of queueing, and creates nothing when it can see that it is busy. */
  readonly immediate: boolean;
  /** Answers `busy` instead of queueing behind a holder and so many waiters. */
  readonly maxWaiters: number;
  /** With `immediate`: read who holds the lock, for the message of an error. */
  readonly describeHolder: boolean;
  /** Whether the one who asks will want to know how many are behind, when it has the lock. Default: no. */
  readonly wantsOthers?: () => boolean;
  /** Aborting ends the attempt: `enter` rejects with its reason, and what it has created is removed in the background. */
  readonly abort: Abort;
  /** The attempt stands in the queue behind others; again with `requeued` after it lost its place. */
  readonly onQueued: (place: QueuedPlace) => void;
  /** Called when the record of the contender directly ahead could be read. */
  readonly onPredecessor: (predecessor: Predecessor) => void;
}

/** The part of an `EnterRequest` that says which lock it is about. */
export type LockQuestion = Pick<EnterRequest, 'resource' | 'mode' | 'failure' | 'fair'>;

export interface Busy {
  readonly busy: true;
  readonly holder: string | undefined;
  /** How many wait, if `maxWaiters` was what decided. */
  readonly waiters?: number;
}

export interface GrantListener {
  lost(reason: LossReason, cause?: unknown): void;
  revokeRequested(): void;
  /** `Grant.latestEnd` is another one now. */
  latestEndMoved?(): void;
}

/** A release under way. None of its promises rejects. */
export interface Release {
  /**
   * Resolves when the request has been handed to the network; without contact, or if the store refuses it again and again, at
   * once.
   */
  readonly sent: Promise<void>;
  /**
   * What `freed` comes to. True without contact, or if the store refuses the release again and again: a finished payment must not
   * hang on that.
   */
  readonly confirmed: Promise<boolean>;
  /** Resolves when the lock is certainly free: true if it was ours until now, false if it had been removed before. */
  readonly freed: Promise<boolean>;
}

/** A short text about a resource that stays in the store when nobody uses the lock. Holders write it for later holders. */
export interface Note {
  /**
   * What a holder of the resource has written last; undefined if none has.
   *
   * @throws LockLostError if the lock is lost
   * @throws LockUnavailableError if the store refuses it
   */
  read(): Promise<string | undefined>;
  /**
   * Replaces the text, unless the lock is lost when the store executes this. Throws as `read` does; after a `LockLostError`
   * it may have been written while the lock was held.
   */
  write(text: string): Promise<void>;
}

/** A lock that has been granted and not yet been given up. */
export interface Grant {
  readonly busy: false;
  /** Strictly larger than that of every earlier grant of the resource that excludes this one; of permits, only unique. */
  readonly fencingToken: bigint;
  /** `Clock.elapsed()` stamp until which the store keeps the lock for us; moves on; `-Infinity` after a loss. */
  readonly deadline: number;
  /** `Clock.monotonic()` stamp at which it ends at the latest, if it ends with another hold; moves with the end of that. */
  readonly latestEnd?: number;
  readonly note: Note;
  /** Called once, right after the grant. A loss that has already happened is reported at once. */
  listen(listener: GrantListener): void;
  /**
   * Reports at once that the deadline has passed, where a timer would do it later: to this grant and to all others of the
   * same session. Called by a hold that finds it so.
   */
  settle?(): void;
  /**
   * Gives the lock up, in the same tick if there is a connection. Idempotent, never throws.
   *
   * @param passOn the hold ended as planned, or there was none: another caller of this process may have the lock next,
   *   without the store
   */
  release(passOn: boolean): Release;
  /**
   * As `release`, for a grant that has never reached its caller. Only for a lock that was taken over after a failure: it stays
   * closed then, because nobody has looked after what the failed holder left behind.
   */
  decline?(): Release;
}

/** How many others want a lock; `some` if nobody knows, because the store has no queue of them or does not answer. */
export type Others = number | 'some';

/** A grant of the store that several callers of this process can have, one after the other, or together. */
export interface ShareableGrant extends Grant {
  /** Others that were queued behind it when it was granted. */
  readonly behind: Others;
  /** True while the store is out of contact: `othersBehind` may then take long to resolve. Absent: false. */
  readonly isSuspended?: boolean;
  /** The token of the caller number `n`, from 0, which has `fencingToken`; undefined if the store has none left. */
  localToken(n: number): bigint | undefined;
  /**
   * Other contenders that are queued behind this one now; with `read`, only those that are not readers. If there are none,
   * calls `joined` once as soon as there may be some. Never rejects.
   */
  othersBehind(joined: () => void): Promise<Others>;
}

/** A holder or a waiter in a `LockSnapshot`. @publicApi */
export interface QueueMember {
  readonly owner: OwnerRecord | undefined;
  /**
   * Undefined for a caller of the own process that shares a node with others: it has a token when it is granted the lock. And for
   * the holder of a lock that fails closed, if somebody has overwritten its record, or for a client of another library whose
   * node may not be read.
   */
  readonly fencingToken: bigint | undefined;
  readonly mode: LockMode;
  /** Absent: `open`. */
  readonly failure?: LockFailure;
}

/** The queue of a resource at one moment. It may have changed already. @publicApi */
export interface LockSnapshot {
  readonly resource: string;
  /** The first of `holders`. */
  readonly holder: QueueMember | null;
  /** More than one only with `read` and `semaphore`. */
  readonly holders: readonly QueueMember[];
  /** In the order in which they will be granted. */
  readonly waiters: readonly QueueMember[];
  /** How many may hold the lock with `semaphore`; undefined if nobody in the queue wants a permit. */
  readonly permits?: number | undefined;
}

/**
 * A store that can keep queues of contenders. The port between what a lock means (`lib/locking`) and how a store
 * does it; an implementation must keep invariants S1 and S2 for its grants.
 */
export interface LockProvider {
  /** Name of the store in messages, such as `ZooKeeper`. */
  readonly storeName: string;
  /** Starts connecting. Called once. */
  open(listener: LockProviderListener): void;
  /**
   * Resolves when connected and locks can be made. Rejects with a `LockError` when that is not possible within
   * `connectTimeout`, or not allowed.
   */
  ready(): Promise<void>;
  /** @throws LockConfigurationError if the store cannot keep a lock of this name */
  assertStorable(resource: string): void;
  /** False if the store has not answered lately: then it may be out of reach. */
  inContact(resource: string): boolean;
  /** Whether a caller of this process certainly has the lock, and excludes those who ask like this. @default false */
  isHeldHere?(request: LockQuestion): boolean;
  /** False if nobody can have a lock of this name any more: the store has refused the credentials, or is closed. */
  isUsable(resource: string): boolean;
  /** Why there is no contact with the store, if that is known. */
  trouble(resource: string): StoreTrouble | undefined;
  /**
   * Joins the queue of a resource and resolves with the grant, or with `Busy` for an immediate attempt or a full queue.
   *
   * @throws LockUnavailableError if there has been no connection for `connectTimeout`
   * @throws LockPermitsError if the lock is in use with another number of permits
   * @throws LockFairnessError if the lock is in use with the other value of `fair`
   * @throws the reason of `request.abort`
   */
  enter(request: EnterRequest): Promise<Grant | Busy>;
  inspect(resource: string, abort?: Abort): Promise<LockSnapshot>;
  /** Changes the number of permits, also for those who wait. False if nobody uses the lock as a semaphore. */
  setPermits(resource: string, permits: number, abort?: Abort): Promise<boolean>;
  /** Frees a lock with `failure: 'closed'`. False if nobody holds it with this token. */
  forceRelease(resource: string, token: bigint, abort?: Abort): Promise<boolean>;
  /** Asks everybody who holds the lock to release it: `GrantListener.revokeRequested`. False if nobody holds it. */
  requestRelease(resource: string, abort?: Abort): Promise<boolean>;
  /** Nobody will ask for a lock any more: gives up those that are kept for later callers. */
  stop?(): void;
  /** Gives everything up. Grants that are still out are lost with reason `shutdown`. Idempotent, never rejects. */
  close(): Promise<void>;
}

/** A store whose grants callers of one process can share. */
export interface ShareableLockProvider extends LockProvider {
  enter(request: EnterRequest): Promise<ShareableGrant | Busy>;
}
