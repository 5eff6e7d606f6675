import type { Others } from '../../locking/lock-provider.interface.js';
import type { ContenderNode } from './contender-node.js';
import { modeOf, sequenceOf } from './contender-name.js';
import type { RecipeContext } from './recipe-context.js';
import { ZooKeeperGrant } from './zookeeper-grant.js';

/** How many contenders there were around one when it became the head. */
export interface HeadPlace {
  /** They share the lock with it. */
  readonly ahead: number;
  readonly behind: number;
  /** It has not listed the queue since: more may be behind by now. */
  readonly hasWaited?: boolean;
}

/** If others are behind, the next contender of this process cannot follow it. Those ahead may still have the lock. */
export function isAlone({ ahead, behind, hasWaited }: HeadPlace): boolean {
  return ahead + behind === 0 && hasWaited !== true;
}

/** The grant of a contender at the head of its queue. */
export class ContenderGrant extends ZooKeeperGrant {
  override readonly behind: number;

  constructor(
    private readonly contender: ContenderNode,
    private readonly place: HeadPlace,
    context: RecipeContext,
  ) {
    super(contender, context);
    this.behind = place.behind;
  }

  /** The watch is not removed: it fires when the node is deleted. */
  override async othersBehind(joined: () => void): Promise<Others> {
    const { session, lockPath, mode } = this.contender;
    try {
      const children = await session.client.getChildren(lockPath, {
        watch: joined,
        priority: 'grant',
        lane: lockPath,
      });
      const contenders = children.filter((name) => sequenceOf(name) !== undefined);
      // Whoever does not share a granted lock is behind it.
      if (mode === 'read') return contenders.filter((name) => modeOf(name) !== mode).length;
      return contenders.length - 1;
    } catch {
      return 'some';
    }
  }

  protected override ending(): void {
    const { session, lockPath, name, czxid } = this.contender;
    if (isAlone(this.place)) this.context.formerHeads.put(session, lockPath, { name, czxid, children: 1 });
  }
}
