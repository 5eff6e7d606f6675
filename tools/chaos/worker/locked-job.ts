import type { ModuleRef } from '@nestjs/core';
import { Locked, LockService, type LockedOptions } from '../../../lib/index.js';
import type { LockedCall, Work } from '../../attempts/tested-locks.interface.js';

/** Creates a class with a locked method for one call, so that its options can be random. */
function jobClass(resource: string | ((name: string) => string), options: LockedOptions) {
  class Job {
    @Locked<[name: string]>(resource, options)
    async run(name: string, work: Work): Promise<true> {
      await work(LockService.current(name)!);
      return true;
    }
  }
  return Job;
}

/** Runs `work` in a method with `@Locked`. False if the call was skipped. */
export async function callLockedJob(
  modules: ModuleRef,
  service: string | undefined,
  { resource, key, options, ...more }: LockedCall,
  work: Work,
): Promise<boolean> {
  const keys = { text: resource, template: '{0}', function: (name: string) => name };
  const job = await modules.create(jobClass(keys[key], { ...options, ...more, service }));
  const outcome: unknown = await job.run(resource, work);
  return outcome === true;
}
