import type { ConnectionInfo, LockProviderListener } from '../../locking/lock-provider.interface.js';

/**
 * Reports the contact of several members, such as sessions, as one, in the grammar of `LockProviderListener`: it is
 * suspended as soon as one member is, and resumed when all have contact again; the end of any session that had contact is
 * reported, except before the first of these, and after it the next moment at which all have contact.
 */
export class ContactReports<Member> {
  readonly #attached = new Map<Member, ConnectionInfo>();
  readonly #unattached: Set<Member>;
  /** What was reported last. */
  #state: 'none' | 'ready' | 'suspended' | 'refused' = 'none';

  /** @param permanent members that are there from the start, and that get another session after the end of one */
  constructor(
    private readonly listener: LockProviderListener,
    private readonly permanent: ReadonlySet<Member> = new Set(),
  ) {
    this.#unattached = new Set(permanent);
  }

  /** For the first time, or again. */
  connected(member: Member, info: ConnectionInfo): void {
    this.#attached.set(member, info);
    this.#unattached.delete(member);
    this.#reportContact(info);
  }

  disconnected(member: Member, cause: Error): void {
    this.#unattached.add(member);
    if (this.#state !== 'ready') return;
    this.#state = 'suspended';
    this.listener.suspended(cause);
  }

  expired(member: Member): void {
    const info = this.#attached.get(member);
    this.#forget(member);
    if (this.#state === 'refused') return;
    if (info !== undefined) {
      if (this.#state !== 'none') this.listener.sessionExpired(info.session);
      this.#state = 'none';
    }
    this.#reportContact();
  }

  /** The member is not needed any more. */
  closed(member: Member): void {
    this.#forget(member);
    this.#reportContact();
  }

  /** One member will never have contact again, so nothing is reported after this. */
  authenticationFailed(): void {
    if (this.#state === 'refused') return;
    this.#state = 'refused';
    this.listener.authenticationFailed();
  }

  #forget(member: Member): void {
    this.#attached.delete(member);
    if (this.permanent.has(member)) this.#unattached.add(member);
    else this.#unattached.delete(member);
  }

  #reportContact(latest: ConnectionInfo | undefined = this.#attached.values().next().value): void {
    if (latest === undefined || this.#unattached.size > 0) return;
    const before = this.#state;
    if (before === 'ready' || before === 'refused') return;
    this.#state = 'ready';
    if (before === 'suspended') this.listener.resumed(latest);
    else this.listener.ready(latest);
  }
}
