// oxlint-disable typescript/no-extraneous-class -- modules are classes without members
import { Controller, Get, Injectable, Module, UseInterceptors, type ModuleMetadata } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { expect, test } from 'vitest';
import {
  InjectLockService,
  LockInterceptor,
  LockModule,
  LockService,
  Locked,
  getLockServiceToken,
  type LockModuleOptions,
} from '../../lib/index.js';
import { RecordingLogger } from '../fixtures/recording-logger.js';
import { Replica } from '../fixtures/replica.js';
import { TestApp } from '../fixtures/test-app.js';
import { useZooKeeper } from '../fixtures/zookeeper-fixture.js';

const main = useZooKeeper();
const second = useZooKeeper();

@Injectable()
class Reports {
  constructor(
    readonly locks: LockService,
    @InjectLockService('archive') readonly archive: LockService,
  ) {}

  @Locked('report')
  async write() {
    return LockService.current()?.owner;
  }

  @Locked('report', { service: 'archive' })
  async store() {
    return LockService.current()?.owner;
  }

  @Locked('report', { service: 'archive' })
  async *rows() {
    yield LockService.current()?.owner;
  }

  /** The same name in two ensembles is two locks. */
  @Locked('report')
  async both() {
    return [LockService.current()?.owner, await this.store()];
  }
}

@Controller()
class ReportsController {
  @Get()
  @UseInterceptors(LockInterceptor(() => 'report', { service: 'archive' }))
  async get() {
    return { owner: LockService.current()?.owner };
  }
}

async function start(first: LockModuleOptions, other: LockModuleOptions) {
  const app = await TestApp.start({
    imports: [
      LockModule.forRoot({ ...first, owner: 'main' }),
      LockModule.forRoot({ ...other, owner: 'archive', name: 'archive' }),
    ],
    providers: [Reports],
    controllers: [ReportsController],
  });
  return { app, reports: app.get(Reports) };
}

test('every name is a separate service on a separate server', async () => {
  const { app, reports } = await start(main.options(), second.options());
  expect(reports.locks).toBe(app.get(LockService));
  expect(reports.archive).toBe(app.get(getLockServiceToken('archive')));
  expect(reports.locks).not.toBe(reports.archive);
  expect(await reports.write()).toBe('main');
  expect(await reports.store()).toBe('archive');
  expect(await reports.both()).toEqual(['main', 'archive']);
  for await (const owner of reports.rows()) expect(owner).toBe('archive');
  expect(await (await app.fetch('/')).json()).toEqual({ owner: 'archive' });
});

test('two names on one server with two roots do not exclude each other', async () => {
  const [first, other] = [main.options(), main.options()];
  const { reports } = await start(first, other);
  const replica = await Replica.open(other);
  const held = await replica.hold('report');
  expect(await reports.write()).toBe('main');
  const storing = reports.store();
  await replica.hasWaiters('report', 1);
  await held.release();
  expect(await storing).toBe('archive');
});

test('all services close with the application', async () => {
  const { app, reports } = await start(main.options(), second.options());
  await app.close();
  expect(reports.locks.state).toBe('closed');
  expect(reports.archive.state).toBe('closed');
});

@Module({ providers: [Reports], exports: [Reports] })
class ReportsModule {}

@Module({
  imports: [
    LockModule.forRootAsync({ isGlobal: false, useFactory: () => main.options() }),
    LockModule.forRootAsync({ isGlobal: false, name: 'archive', useFactory: () => second.options() }),
  ],
  providers: [Reports],
  exports: [Reports, LockModule],
})
class SelfContainedModule {}

const compile = (metadata: ModuleMetadata) =>
  Test.createTestingModule(metadata).setLogger(new RecordingLogger()).compile();

test('with isGlobal: false only modules that import LockModule have the service', async () => {
  const module = await compile({ imports: [SelfContainedModule] });
  const reports = module.get(Reports, { strict: false });
  expect(await reports.both()).toEqual([reports.locks.owner, reports.archive.owner]);
  await module.close();

  const local = { ...main.options(), isGlobal: false };
  await expect(
    compile({ imports: [LockModule.forRoot({ ...local, lazy: true }), ReportsModule] }),
  ).rejects.toThrow(/can't resolve dependencies of the Reports/);
});
