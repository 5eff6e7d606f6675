import { Logger } from '@nestjs/common';
import { inspect } from 'node:util';
import type { LockService } from '../../lib/index.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';

/** Records the log output, events and errors of a process, and finds secrets in them. */
export class LeakDetector {
  readonly #log = new RecordingLogger();
  readonly #texts: string[] = [];
  readonly #secrets = new Map<string, Buffer>();

  /** Redirects all Nest loggers of the process to this detector. */
  constructor() {
    Logger.overrideLogger(this.#log);
  }

  /** @param name of the secret in `found` */
  addSecret(name: string, secret: string | Buffer): void {
    this.#secrets.set(name, Buffer.from(secret));
  }

  /** Records all events and states of a service. */
  follow(locks: LockService): void {
    locks.events$.subscribe((event) => this.record(event));
    locks.state$.subscribe((state) => this.record(state));
  }

  /** Records a value in every form that a log can show: printed, inspected, serialised, with causes and hidden fields. */
  record(value: unknown): void {
    for (const customInspect of [true, false]) {
      this.#texts.push(inspect(value, { depth: 10, showHidden: true, customInspect, maxStringLength: null }));
    }
    this.#texts.push(String(value), serialise(value));
    if (value instanceof Error) {
      this.#texts.push(value.stack ?? '', serialise(Object.getOwnPropertyDescriptors(value)));
      if (value.cause !== undefined) this.record(value.cause);
    }
  }

  /** Everything recorded so far, log lines included. */
  get recorded(): readonly string[] {
    return [...this.#texts, ...this.#log.lines.map((line) => inspect(line, { depth: 10 }))];
  }

  /** Names of the secrets found, in any of their forms. */
  get found(): readonly string[] {
    return [...this.#secrets.keys()].filter((name) => {
      const forms = formsOf(this.#secrets.get(name)!);
      return this.recorded.some((text) => forms.some((form) => text.includes(form)));
    });
  }
}

function formsOf(secret: Buffer): string[] {
  const hex = secret.toString('hex');
  return [
    secret.toString('utf8'),
    secret.toString('latin1'),
    secret.toString('base64').replace(/=+$/, ''),
    hex,
    hex.match(/../g)!.join(' '),
    [...secret].join(','),
  ];
}

function serialise(value: unknown): string {
  const seen = new Set<unknown>();
  const text = JSON.stringify(value, (_key, field: unknown) => {
    if (typeof field === 'bigint') return String(field);
    if (typeof field !== 'object' || field === null) return field;
    if (seen.has(field)) return undefined;
    seen.add(field);
    return field;
  });
  return text ?? '';
}
