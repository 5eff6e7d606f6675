import { Logger } from '@nestjs/common';
import { inspect } from 'node:util';
import type { LockService } from '../../lib/index.js';
import { LogBook } from '../fixtures/log-book.js';

/** Writes down everything that a process says, and finds secrets in it. */
export class Witness {
  readonly #log = new LogBook();
  readonly #heard: string[] = [];
  readonly #secrets = new Map<string, Buffer>();

  /** From now on all loggers of the process are heard, and by nobody else. */
  constructor() {
    Logger.overrideLogger(this.#log);
  }

  /** @param name how the secret is called, should it be found */
  keep(name: string, secret: string | Buffer): void {
    this.#secrets.set(name, Buffer.from(secret));
  }

  /** All events, errors and states of a service. */
  follow(locks: LockService): void {
    locks.events$.subscribe((event) => this.hear(event));
    locks.state$.subscribe((state) => this.hear(state));
  }

  /** In every way in which a value ends in a log: printed, inspected, serialised, with its causes and hidden fields. */
  hear(value: unknown): void {
    for (const customInspect of [true, false]) {
      this.#heard.push(inspect(value, { depth: 10, showHidden: true, customInspect, maxStringLength: null }));
    }
    this.#heard.push(String(value), serialise(value));
    if (value instanceof Error) {
      this.#heard.push(value.stack ?? '', serialise(Object.getOwnPropertyDescriptors(value)));
      if (value.cause !== undefined) this.hear(value.cause);
    }
  }

  /** What was said so far, log lines included. */
  get words(): readonly string[] {
    return [...this.#heard, ...this.#log.lines.map((line) => inspect(line, { depth: 10 }))];
  }

  /** The secrets that were said, in any of their forms. */
  get found(): readonly string[] {
    return [...this.#secrets.keys()].filter((name) => {
      const forms = formsOf(this.#secrets.get(name)!);
      return this.words.some((text) => forms.some((form) => text.includes(form)));
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
