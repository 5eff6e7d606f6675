import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { test } from 'node:test';

const require = createRequire(import.meta.url);

for (const entryPoint of ['nestjs-locked', 'nestjs-locked/testing']) {
  test(`${entryPoint}: every export is a named import of ES modules`, () => {
    const names = Object.keys(require(entryPoint));
    assert.ok(names.length > 3);
    // Names that Node cannot detect in the file cause a SyntaxError in the importing module.
    execFileSync(process.execPath, [
      '--input-type=module',
      '--eval',
      `import { ${names.join(', ')} } from '${entryPoint}';`,
    ]);
  });

  test(`${entryPoint}: import and require return the same classes and tokens`, async () => {
    const required = require(entryPoint);
    const imported = await import(entryPoint);
    for (const [name, value] of Object.entries(required)) assert.equal(imported[name], value, name);
  });
}

test('a subclass of one entry point is an instance of a class of the other', async () => {
  const { LockService } = await import('nestjs-locked');
  const { FakeLockService } = require('nestjs-locked/testing');
  assert.ok(new FakeLockService() instanceof LockService);
});

test('nestjs-locked/schedule names the optional package that is not installed', async () => {
  const missing = { code: 'MODULE_NOT_FOUND', message: /^Cannot find module '@nestjs\/schedule'/ };
  assert.throws(() => require('nestjs-locked/schedule'), missing);
  await assert.rejects(import('nestjs-locked/schedule'), missing);
});

test('package.json can be read', () => {
  assert.equal(require('nestjs-locked/package.json').name, 'nestjs-locked');
});
