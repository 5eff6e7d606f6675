import type { ContenderNode } from './contender-node.js';
import { sequenceOf } from './contender-name.js';
import { isShared } from './contender-queue.js';
import type { RecipeContext } from './recipe-context.js';
import { ZooKeeperGrant } from './zookeeper-grant.js';

/** The grant of a contender at the head of its queue. */
export class ContenderGrant extends ZooKeeperGrant {
  /** @param behind how many contenders were behind it when it became the head */
  constructor(
    private readonly contender: ContenderNode,
    override readonly behind: number,
    context: RecipeContext,
  ) {
    super(contender, context);
  }

  /** The watch is not removed: it fires when the node is deleted. */
  override async othersBehind(joined: () => void): Promise<number> {
    const { session, lockPath } = this.contender;
    try {
      const children = await session.client.getChildren(lockPath, {
        watch: joined,
        priority: 'grant',
        lane: lockPath,
      });
      return children.filter((name) => sequenceOf(name) !== undefined).length - 1;
    } catch {
      return 1;
    }
  }

  /** If others are behind, the next contender of this process cannot follow it. */
  protected override ending(): void {
    const { session, lockPath, mode, name, czxid } = this.contender;
    // Others that share the lock may still have it.
    if (isShared(mode)) return;
    if (this.behind === 0) this.context.formerHeads.put(session, lockPath, { name, czxid });
  }
}
