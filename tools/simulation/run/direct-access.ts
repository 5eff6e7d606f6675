import { digestIdentity } from '../../../lib/testing/identity/identity.js';
import type { Applied } from '../../../lib/testing/server/quorum.interface.js';
import type { ZooKeeperService } from '../../../lib/testing/server/zookeeper-service.js';
import { SessionIds } from '../../../lib/testing/sessions/session-ids.js';
import { newSession, type Session } from '../../../lib/testing/sessions/session-table.js';
import { NO_OWNER, ownerKind } from '../../../lib/testing/tree/ephemeral-owner.js';
import type { ChangeRequest, StepRequest } from '../../../lib/testing/wire/requests.js';
import { SESSION_PASSWORD_BYTES } from '../../../lib/zookeeper/protocol/session-password.js';
import type { Ensembles } from '../ensemble/ensembles.js';
import type { Member } from '../ensemble/member.js';
import type { SimulatedEnsemble } from '../ensemble/simulated-ensemble.js';
import { CREDENTIAL } from '../scenario/scenario.js';
import { ROOT } from './running-process.js';

/** No server has this number: the ids of these sessions differ from all others. */
const SERVER_NUMBER = 99;
export const DIRECT_SESSION_TIMEOUT_MS = 40_000;

/** What a server has, or will have. */
type Data = Pick<ZooKeeperService, 'store'>;

const IDENTITIES = [digestIdentity(Buffer.from(CREDENTIAL))];
const ignored: Applied = () => {};

/** The leaders of the ensembles, for those who read and write there without a connection. */
export class DirectAccess {
  readonly #ids = new SessionIds(SERVER_NUMBER, 0);

  constructor(private readonly ensembles: Ensembles) {}

  /** The leader of the ensemble that has the node; undefined if none has it and serves. */
  leaderWith(path: string): ZooKeeperService | undefined {
    return leaderOf(this.ensembleWith(path));
  }

  /** The ensemble that has the node, if any has it and serves. */
  ensembleWith(path: string): SimulatedEnsemble | undefined {
    return this.ensembles.all.find((ensemble) => leaderOf(ensemble)?.store.tree.get(path) !== undefined);
  }

  /** The data of that ensemble, with all that its leader has decided on: what is changed next is changed there. */
  decidedWith(path: string): Data | undefined {
    const store = leadingMember(this.ensembleWith(path))?.decided;
    return store && { store };
  }

  open({ quorum }: ZooKeeperService): Session {
    const password = Buffer.alloc(SESSION_PASSWORD_BYTES);
    const session = newSession(this.#ids.next(), password, DIRECT_SESSION_TIMEOUT_MS);
    quorum.commit({ kind: 'openSession', session }, ignored);
    return session;
  }

  /** @param applied never called if the leader stops before */
  change({ quorum }: ZooKeeperService, { id }: Session, request: ChangeRequest, applied = ignored): void {
    quorum.commit({ kind: 'change', request, requester: { session: id, identities: IDENTITIES } }, applied);
  }

  /** All changes or none. @param applied never called if the leader stops before */
  changeAll(
    { quorum }: ZooKeeperService,
    { id }: Session,
    steps: readonly StepRequest[],
    applied: Applied,
  ): void {
    quorum.commit({ kind: 'multi', steps, requester: { session: id, identities: IDENTITIES } }, applied);
  }

  /** @param applied never called if the leader stops before */
  close({ quorum }: ZooKeeperService, { id }: Session, applied = ignored): void {
    quorum.commit({ kind: 'closeSession', session: id }, applied);
  }
}

export function leaderOf(ensemble: SimulatedEnsemble | undefined): ZooKeeperService | undefined {
  return leadingMember(ensemble)?.service;
}

function leadingMember(ensemble: SimulatedEnsemble | undefined): Member | undefined {
  return ensemble?.members.find(({ state, isServing }) => state === 'leading' && isServing);
}

export function pathOf(resource: string): string {
  return `${ROOT}/${resource}`;
}

/** In the order of their sequence numbers; of a lock without a queue, its node. */
export function contendersOf(resource: string, service: Data | undefined): string[] {
  const path = pathOf(resource);
  if (isSimple(path, service)) return [path];
  const names = [...(service?.store.tree.get(path)?.children ?? [])];
  return names.sort((a, b) => numberOf(a) - numberOf(b)).map((name) => `${path}/${name}`);
}

/** The sequence number of a contender. */
export function numberOf(name: string): number {
  return Number(name.slice(-10));
}

export function isSimple(path: string, service: Data | undefined): boolean {
  return ownerKind(service?.store.tree.get(path)?.owner ?? NO_OWNER) === 'session';
}

export function dataOf(path: string, service: Data | undefined): string {
  return service?.store.tree.get(path)?.data?.toString('utf8') ?? '';
}
