import { Observable } from 'rxjs';
import type { Campaign, LeaderWork } from './campaign.js';
import type { Leadership } from './leadership.interface.js';

export interface LeadershipOptions {
  /** Makes the campaign of one subscription. */
  readonly campaign: (work: LeaderWork, waiting: () => void) => Campaign;
  /** Who leads now, if that is known. */
  readonly leader: () => Promise<string | undefined>;
}

/** Every subscription is a candidate. Unsubscribing ends its wait, or its leadership. */
export function leadership({ campaign, leader }: LeadershipOptions): Observable<Leadership> {
  return new Observable((subscriber) => {
    /** How often it has led: an answer that comes after a leadership of its own is out of date. */
    let terms = 0;
    const follow = (owner?: string): void => subscriber.next({ leader: false, owner });
    const tellWhoLeads = async (): Promise<void> => {
      const before = terms;
      const owner = await leader().catch(() => undefined);
      if (owner !== undefined && terms === before) follow(owner);
    };
    const work: LeaderWork = {
      lead: (leading) => {
        // Added first, so that it is called first.
        leading.signal.addEventListener('abort', () => follow(), { once: true });
        terms += 1;
        subscriber.next(leading);
      },
      failed: (error) => subscriber.error(error),
    };
    follow();
    // It may have wanted to hear only that.
    if (subscriber.closed) return undefined;
    const candidate = campaign(work, () => void tellWhoLeads());
    candidate.run().then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    );
    return () => candidate.end(new Error('The candidate has left'));
  });
}
