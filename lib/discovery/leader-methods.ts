import { Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DiscoveryService, MetadataScanner, type ModulesContainer } from '@nestjs/core';
import { LEADER_METADATA, type LeaderMetadata } from '../lock.constants.js';
import type { LockService } from '../lock.service.js';
import { LockConfigurationError } from '../locking/errors/lock-configuration.error.js';
import { escapeControls } from '../locking/escape-controls.js';
import type { Leading } from '../locking/leadership/leadership.interface.js';

/** A method with `@Leader`, of an object that Nest has made. */
interface LeaderMethod {
  /** `Class.method`. */
  readonly name: string;
  readonly resource: string;
  readonly call: (leading: Leading) => unknown;
}

/** Runs the methods with `@Leader` of one lock service, from the start of the application until the service closes. */
export class LeaderMethods implements OnApplicationBootstrap {
  private readonly logger = new Logger('LockModule');

  /** @param service name of the lock service */
  constructor(
    private readonly modules: ModulesContainer,
    private readonly locks: LockService,
    private readonly service: string | undefined,
  ) {}

  /** @throws LockConfigurationError if a class with such a method is request-scoped */
  onApplicationBootstrap(): void {
    for (const method of leaderMethods(this.modules, this.service)) void this.run(method);
  }

  private async run({ name, resource, call }: LeaderMethod): Promise<void> {
    const leader = `${name}, the leader of '${escapeControls(resource)}',`;
    const campaign = this.locks.campaign(
      resource,
      { purpose: name },
      {
        lead: call,
        failed: (error) => this.logger.error(`${leader} has failed, and will queue again: ${text(error)}`),
      },
    );
    try {
      await campaign.run();
    } catch (error) {
      this.logger.error(`${leader} can never lead: ${text(error)}`);
    }
  }
}

function text(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

/** One object may be provided under several tokens: its methods run once. */
function leaderMethods(modules: ModulesContainer, service: string | undefined): LeaderMethod[] {
  const discovery = new DiscoveryService(modules);
  const wrappers = [...discovery.getProviders(), ...discovery.getControllers()];
  const scanned = new Set<unknown>();
  return wrappers.flatMap((wrapper) => {
    const instance: unknown = wrapper.instance;
    if (typeof instance !== 'object' || instance === null || scanned.has(instance)) return [];
    scanned.add(instance);
    const methods = methodsOf(instance, service);
    if (methods.length > 0 && !wrapper.isDependencyTreeStatic()) throw notStatic(methods[0]!);
    return methods;
  });
}

function methodsOf(instance: object, service: string | undefined): LeaderMethod[] {
  const names = new MetadataScanner().getAllMethodNames(Object.getPrototypeOf(instance) as object | null);
  return names.flatMap((key) => {
    const method: unknown = Reflect.get(instance, key);
    if (typeof method !== 'function') return [];
    const metadata = Reflect.getMetadata(LEADER_METADATA, method) as LeaderMetadata | undefined;
    if (metadata === undefined || metadata.service !== service) return [];
    const { resource } = metadata;
    const call = (leading: Leading): unknown => Reflect.apply(method, instance, [leading]);
    return [{ name: `${instance.constructor.name}.${key}`, resource, call }];
  });
}

function notStatic({ name }: LeaderMethod): LockConfigurationError {
  return new LockConfigurationError(
    `${name} has @Leader, but its object is made for each request, so that there is none to lead. Make the class and ` +
      'everything that it injects a singleton, or use LockService.lead()',
  );
}
