/** Declarations that the examples of the documentation use: parts of the reader's application, and other packages. */

import type { Observable } from 'rxjs';

export {
  Body,
  Catch,
  Controller,
  Get,
  Injectable,
  Module,
  Param,
  Post,
  Put,
  Sse,
  UseGuards,
  UseInterceptors,
  type BeforeApplicationShutdown,
  type ExecutionContext,
  type MessageEvent,
  type OnModuleInit,
  type RpcExceptionFilter,
} from '@nestjs/common';
export { APP_FILTER, BaseExceptionFilter, NestFactory } from '@nestjs/core';
export { Cron } from '@nestjs/schedule';
export { HealthCheck, HealthCheckService } from '@nestjs/terminus';
export { Test, type TestingModule } from '@nestjs/testing';
export { EMPTY, Observable, ReplaySubject, first, map, switchMap, take, takeUntil, throwError } from 'rxjs';
export { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

export declare class ConfigService {
  getOrThrow(key: string): string;
}

export declare function Transactional(): MethodDecorator;

export declare class Job {
  readonly warehouse: string;
}

export interface Page {
  readonly number: number;
}

interface Interruptible {
  readonly signal: AbortSignal;
}

export declare const alert: { raise(text: string): void };
export declare const bank: {
  charge(orderId: string, options: Interruptible & { fencingToken: bigint }): Promise<void>;
  credit(account: string, amount: number, fencingToken: bigint): Promise<void>;
  debit(account: string, amount: number, fencingToken: bigint): Promise<void>;
};
export declare const db: { query(sql: string, values: unknown[]): Promise<{ rowCount: number }> };
export declare const index: { rebuild(signal: AbortSignal): Promise<void> };
export declare const jest: { useFakeTimers(options: { doNotFake: string[] }): void };
export declare const mail: { send(invoice: string, options: Interruptible): Promise<void> };
export declare const mailbox: {
  consume(fencingToken: bigint): Observable<void>;
  read(signal: AbortSignal): Promise<void>;
  sendNext(options: Interruptible & { fencingToken: bigint }): Promise<void>;
};
export declare const metrics: { observe(name: string, value: number): void };
export declare const redlock: {
  using<T>(resources: string[], duration: number, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
};
export declare const reports: {
  write(options: Interruptible & { from: Date | undefined; to: Date }): Promise<void>;
};
export declare const store: { put(page: Page, options: Interruptible & { token: bigint }): Promise<void> };
export declare const warehouse: {
  count(article: string): Promise<number>;
  pack(id: string, options: Interruptible): Promise<void>;
  take(article: string): Promise<void>;
};

export declare const id: string;
export declare function confirm(orderId: string): Promise<void>;
export declare function pay(orderId: string, options?: Interruptible): Promise<void>;
