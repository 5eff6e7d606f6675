import type { Step } from '../client/zookeeper-client.interface.js';
import { isAlone, type HeadPlace } from './contender-grant.js';
import type { ContenderNode } from './contender-node.js';
import { tokenOf, tokenOfRegrant } from './fencing-token.js';
import { isHeadAfter, mayBeFollowed, nextSequence, type FormerHead } from './former-head.js';
import type { RecipeContext } from './recipe-context.js';
import { QueuePositionLostError } from './session-requests.js';

/** The contender that the node of a closed lock replaces. The node is another child of the lock path. */
export interface ClosingPlace {
  readonly name: string;
  /** Of the hold. */
  readonly token: bigint;
  /** What creates it in the same transaction. */
  readonly joining: readonly Step[];
  /** The czxid of the former head that it follows, if that is to be proved by the transaction. */
  readonly after?: bigint;
  /**
   * What the next contender of this process can follow.
   *
   * @param zxid the transaction that has replaced it
   * @throws QueuePositionLostError if it was not the head of the queue
   */
  formerHead(zxid: bigint): FormerHead | undefined;
}

const CHILDREN = 2;

/** The place of a contender that has become the head. */
export function placeOfHead({ name, czxid, resource }: ContenderNode, place: HeadPlace): ClosingPlace {
  const token = tokenOf(czxid, resource);
  return {
    name,
    token,
    joining: [],
    formerHead: () => (isAlone(place) ? { name, czxid, children: CHILDREN, token } : undefined),
  };
}

/**
 * The next place after the last hold of this process, if its lock was a closed one; otherwise undefined. It is the head unless others
 * have joined since. If they have, the server gives the contender another name.
 *
 * Its token is the next one after that of the former head. It is larger than all tokens before, and smaller than those of
 * contenders that join later.
 */
export function nextPlace(
  contender: ContenderNode,
  { formerHeads }: RecipeContext,
): ClosingPlace | undefined {
  const { session, lockPath, joining } = contender;
  const former = formerHeads.get(session, lockPath);
  if (former?.token === undefined || !mayBeFollowed(former, session.client.lastZxid)) return undefined;
  const token = tokenOfRegrant(former.token);
  const sequence = nextSequence(former);
  if (token === undefined || sequence === undefined) return undefined;
  formerHeads.take(session, lockPath);
  const name = contender.nameWith(sequence);
  return {
    name,
    token,
    joining: [joining],
    after: former.czxid,
    // The lock path may have been made again meanwhile, and others be ahead.
    formerHead: (czxid) => {
      const head = { name, czxid, children: CHILDREN, token };
      if (!isHeadAfter(former, head)) throw new QueuePositionLostError();
      return head;
    },
  };
}
