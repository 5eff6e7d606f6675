import type { LockModuleOptions } from 'nestjs-locked';
import type { OwnResources } from './own-resources.js';
import type { WorkName } from './work.interface.js';

export interface ResourceSettings {
  readonly work: WorkName;
  readonly options: LockModuleOptions;
}

export type ResourceCommand =
  | { readonly type: 'run'; readonly cycles: number }
  | { readonly type: 'measure' | 'close' };

export interface Measurement {
  readonly resources: OwnResources;
  /** Counts of the work. */
  readonly counts: Readonly<Record<string, number>>;
}

export type ResourceMessage =
  /** The work requests a cut of its connection. */
  | { readonly type: 'cut' }
  /** The outcome of the last command; a measurement follows `measure` and `close`. */
  | { readonly type: 'done'; readonly measurement?: Measurement };
