import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { InjectLockService, Locked } from '../../lib/index.js';
import { LockConfigurationError } from '../../lib/locking/errors/lock-configuration.error.js';

const LEGACY: ts.CompilerOptions = { experimentalDecorators: true };
const STANDARD: ts.CompilerOptions = { experimentalDecorators: false };

/** Runs compiled JavaScript of user code. TypeScript would refuse most of it. */
function decorate(source: string, options = LEGACY): () => void {
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.None, ...options },
  });
  return () => {
    // oxlint-disable-next-line typescript/no-implied-eval -- the text is the subject of the test
    new Function('Locked', outputText)(Locked);
  };
}

function refusalOf(source: string, options?: ts.CompilerOptions): string {
  try {
    decorate(source, options)();
  } catch (error) {
    if (error instanceof LockConfigurationError) return error.message;
    throw error;
  }
  throw new Error('It was accepted');
}

const METHODS_ONLY =
  'it locks methods, and a function in a property belongs to one object, which does not exist yet. Make it a method, ' +
  'as in `async pay() {}` instead of `pay = async () => {}`';

describe('@Locked(...) on anything but a method names the declaration and the fix', () => {
  test.for([
    [
      "@Locked('x') class Orders {}",
      '@Locked cannot be used on the class Orders: it locks methods. Put it on each method that needs the lock',
    ],
    [
      "class Orders { @Locked('x') static async pay() {} }",
      '@Locked cannot be used on the static method Orders.pay: Nest injects only into instances. Make it an ' +
        'instance method of a provider',
    ],
    [
      "class Orders { @Locked('x') get total() { return 1; } }",
      '@Locked cannot be used on the accessor Orders.total: a property cannot wait for a lock. Make it an async method',
    ],
    [
      "class Orders { @Locked('x') set total(to) {} }",
      '@Locked cannot be used on the accessor Orders.total: ',
    ],
    [
      "class Orders { @Locked('x') pay = async () => {}; }",
      `@Locked cannot be used on the property Orders.pay: ${METHODS_ONLY}`,
    ],
    [
      "class Orders { async pay(@Locked('x') id) {} }",
      '@Locked cannot be used on parameter 0 of Orders.pay: it locks methods. Put it above the method',
    ],
    [
      "class Orders { constructor(a, @Locked('x') b) {} }",
      '@Locked cannot be used on parameter 1 of the constructor of Orders: it locks methods. Put it above the method',
    ],
  ] as const)('%s', ([source, message]) => {
    expect(refusalOf(source)).toContain(message);
  });
});

test('a third argument of @Locked is not taken for a parameter of a constructor', () => {
  expect(refusalOf('class Orders { @Locked((id) => `order:${id}`, undefined, 5) async pay() {} }')).toContain(
    '@Locked takes a resource, and a ttl or options: got one more argument, 5 (number)',
  );
});

test('the error for a property that already has a value contains the value', () => {
  class Orders {
    readonly size = 42;
  }
  const onValue = () => Locked('x')(Orders.prototype, 'size', { value: 42 } as never);
  expect(onValue).toThrow(
    `@Locked cannot be used on the property Orders.size, which is 42 (number): ${METHODS_ONLY}`,
  );
});

describe('@Locked without parentheses names the declaration and the fix', () => {
  test.for([
    [
      'class Orders { @Locked async pay() {} }',
      "@Locked was used without parentheses on Orders.pay: it needs a name to lock. Write @Locked('pay'), or another name",
    ],
    [
      '@Locked class Orders {}',
      '@Locked was used without parentheses on the class Orders, where it cannot be used at all: it locks methods. Put it ' +
        'on each method that needs the lock',
    ],
    [
      'class Orders { @Locked static async pay() {} }',
      'without parentheses on the static method Orders.pay, where it cannot be used at all: Nest injects only',
    ],
    [
      'class Orders { @Locked get total() { return 1; } }',
      'without parentheses on the accessor Orders.total, where',
    ],
    [
      'class Orders { @Locked pay = async () => {}; }',
      'without parentheses on the property Orders.pay, where',
    ],
    ['class Orders { async pay(@Locked id) {} }', 'without parentheses on parameter 0 of Orders.pay, where'],
    [
      'class Orders { constructor(@Locked id) {} }',
      'parentheses on parameter 0 of the constructor of Orders, where',
    ],
    ["class Orders { @Locked async ['a b']() {} }", "Write @Locked('a b'), or another name"],
  ] as const)('%s', ([source, message]) => {
    expect(refusalOf(source)).toContain(message);
  });
});

const COMPILER =
  'it was compiled as a standard (TC39) decorator, and Nest needs the legacy ones: set "experimentalDecorators": true ' +
  'and "emitDecoratorMetadata": true in the tsconfig.json that the compiler reads. For SWC these are ' +
  '"jsc.transform.legacyDecorator" and "jsc.transform.decoratorMetadata"';

describe('compiled with standard decorators, @Locked says how to compile', () => {
  test.for([
    ["class Orders { @Locked('x') async pay() {} }", `@Locked cannot be used on the method pay: ${COMPILER}`],
    [
      "class Orders { @Locked('x') async #pay() {} }",
      '@Locked cannot be used on the method #pay: it was compiled',
    ],
    [
      "class Orders { @Locked('x') static async pay() {} }",
      'on the method pay: it was compiled as a standard',
    ],
    ["class Orders { @Locked('x') get total() { return 1; } }", 'on the getter total: it was compiled as'],
    [
      "class Orders { @Locked('x') pay = async () => {}; }",
      'on the field pay: it was compiled as a standard',
    ],
    ["class Orders { @Locked('x') accessor pay = 1; }", 'on the accessor pay: it was compiled as a standard'],
    ["@Locked('x') class Orders {}", 'on the class Orders: it was compiled as a standard'],
    [
      'class Orders { @Locked async pay() {} }',
      `@Locked was used without parentheses on the method pay, where it cannot be used at all: ${COMPILER}`,
    ],
    [
      '@Locked class Orders {}',
      '@Locked was used without parentheses on the class Orders, where it cannot be used',
    ],
  ] as const)('%s', ([source, message]) => {
    expect(refusalOf(source, STANDARD)).toContain(message);
  });
});

test.for([
  "class Orders { @Locked('x') async pay() {} }",
  'class Orders { @Locked((id) => id) async pay() {} }',
  'class Orders { @Locked((id) => id, 5_000) async pay() {} }',
  'class Orders { @Locked(function (id) { return id; }, { ttl: 5_000 }) async pay() {} }',
])('correct use is accepted: %s', (source) => {
  expect(decorate(source)).not.toThrow();
});

test('@InjectLockService without parentheses, or with a name that is not a non-empty string, is refused', () => {
  class Orders {
    readonly id = 1;
  }
  const bare = () => Reflect.apply(InjectLockService, undefined, [Orders, undefined, 0]) as unknown;
  expect(bare).toThrow(LockConfigurationError);
  expect(bare).toThrow(
    '@InjectLockService takes the name of a lock service, as given to forRoot({ name }): got a function Orders. For the ' +
      'service without a name, write @InjectLockService()',
  );
  expect(() => InjectLockService('')).toThrow("got '' (string)");
  expect(() => InjectLockService()).not.toThrow();
});
