import { beforeEach, describe, expect, test } from 'vitest';
import { LazyAbort } from '../../lib/locking/lazy-abort.js';
import type { LockProviderListener } from '../../lib/locking/lock-provider.interface.js';
import { ensembleOf } from '../../lib/zookeeper/spread/ensemble-of.js';
import { SpreadLockProvider } from '../../lib/zookeeper/spread/spread-lock.provider.js';
import { rejectionOf } from './manager-harness.js';
import { CONNECTION } from './scripted-provider.js';
import { ScriptedStore } from './scripted-store.js';

/** An ensemble that records its calls, and whose contact a test controls. */
class ScriptedEnsemble extends ScriptedStore {
  readonly calls: string[] = [];
  listener!: LockProviderListener;

  override open(listener?: LockProviderListener): void {
    this.listener = listener!;
  }

  reached = async (): Promise<() => Promise<void>> => {
    this.calls.push('reached');
    return async () => void this.calls.push('finished');
  };
  override ready = async (): Promise<void> => void this.calls.push('ready');
  override close = async (): Promise<void> => void this.calls.push('close');
  override assertStorable = (resource?: string): void => void this.calls.push(`assertStorable ${resource}`);
  override inContact = (resource?: string): boolean => this.calls.push(`inContact ${resource}`) > 0;
  override isUsable = (resource?: string): boolean => this.calls.push(`isUsable ${resource}`) > 0;
  override enter = (async ({ resource }: { resource: string }) => this.#answer('enter', resource)) as never;
  override inspect = (async (...args: unknown[]) => this.#answer('inspect', ...args)) as never;
  override setPermits = (async (...args: unknown[]) => this.#answer('setPermits', ...args)) as never;
  override forceRelease = (async (...args: unknown[]) => this.#answer('forceRelease', ...args)) as never;
  override requestRelease = (async (...args: unknown[]) => this.#answer('requestRelease', ...args)) as never;

  #answer(...call: unknown[]): string {
    const line = call
      .filter((part) => part !== undefined)
      .map(String)
      .join(' ');
    this.calls.push(line);
    return line;
  }
}

let ensembles: ScriptedEnsemble[];
let provider: SpreadLockProvider;
let told: string[];

beforeEach(() => {
  ensembles = [new ScriptedEnsemble(), new ScriptedEnsemble(), new ScriptedEnsemble()];
  provider = new SpreadLockProvider(
    ensembles.map((ensemble, index) => ({
      provider: ensemble,
      title: `connectString[${index}] (zk${index}:2181)`,
    })),
  );
  told = [];
  provider.open({
    ready: ({ server }) => void told.push(`ready ${server}`),
    resumed: ({ server }) => void told.push(`resumed ${server}`),
    suspended: ({ message }) => void told.push(`suspended ${message}`),
    sessionExpired: (session) => void told.push(`sessionExpired ${session}`),
    authenticationFailed: () => void told.push('authenticationFailed'),
    attemptFailed: (server, { message }) => void told.push(`attemptFailed ${server} ${message}`),
    warning: (message) => void told.push(`warning ${message}`),
  });
});

test.for(['order:1', 'order:42', 'nightly-report'])(
  'all calls for %s go to its ensemble',
  async (resource) => {
    provider.assertStorable(resource);
    expect(provider.inContact(resource)).toBe(true);
    expect(provider.isUsable(resource)).toBe(true);
    const abort = new LazyAbort();
    const outcomes = [
      await provider.enter({ resource } as never),
      await provider.inspect(resource),
      await provider.setPermits(resource, 3),
      await provider.forceRelease(resource, 7n),
      await provider.requestRelease(resource, abort),
    ];
    const own = ensembles[ensembleOf(resource, 3)]!;
    expect(own.calls).toEqual([
      `assertStorable ${resource}`,
      `inContact ${resource}`,
      `isUsable ${resource}`,
      ...outcomes,
    ]);
    expect(outcomes).toEqual([
      `enter ${resource}`,
      `inspect ${resource}`,
      `setPermits ${resource} 3`,
      `forceRelease ${resource} 7`,
      `requestRelease ${resource} [object Object]`,
    ]);
    for (const other of ensembles) if (other !== own) expect(other.calls).toEqual([]);
  },
);

test('has the name of the store of its ensembles', () => {
  expect(provider.storeName).toBe('Scripted');
});

describe('ready', () => {
  test('needs all ensembles', async () => {
    await provider.ready();
    const calls = ['reached', 'finished'];
    expect(ensembles.map((ensemble) => ensemble.calls)).toEqual([calls, calls, calls]);
  });

  test('makes none ready before all are reached', async () => {
    const refusal = new Error('no');
    ensembles[1]!.reached = () => Promise.reject(refusal);
    expect(await rejectionOf(provider.ready())).toBe(refusal);
    expect(ensembles.map(({ calls }) => calls)).toEqual([['reached'], [], ['reached']]);
  });

  test('rejects with the error of any ensemble', async () => {
    const refusal = new Error('no');
    ensembles[1]!.reached = async () => () => Promise.reject(refusal);
    expect(await rejectionOf(provider.ready())).toBe(refusal);
  });
});

test('close closes all ensembles, also if one fails', async () => {
  ensembles[0]!.close = () => Promise.reject(new Error('no'));
  await provider.close();
  expect(ensembles.slice(1).map(({ calls }) => calls)).toEqual([['close'], ['close']]);
});

test('reports one contact, and names the ensemble that has none', () => {
  const [first, second, third] = ensembles.map(({ listener }) => listener) as [
    LockProviderListener,
    LockProviderListener,
    LockProviderListener,
  ];
  second.attemptFailed('zk1:2181', new Error('refused'));
  for (const listener of [first, second, third]) listener.ready(CONNECTION);
  second.suspended(new Error('cut'));
  second.resumed(CONNECTION);
  third.sessionExpired(CONNECTION.session);
  third.ready(CONNECTION);
  first.warning('slow');
  first.authenticationFailed();
  expect(told).toEqual([
    'attemptFailed zk1:2181 refused',
    'ready zk1:2181',
    'suspended connectString[1] (zk1:2181): cut',
    'resumed zk1:2181',
    'warning connectString[2] (zk2:2181): session 0x1 has expired',
    'sessionExpired 0x1',
    'ready zk1:2181',
    'warning connectString[0] (zk0:2181): slow',
    'warning connectString[0] (zk0:2181): the servers refused the credentials',
    'authenticationFailed',
  ]);
});
