import { expect, test } from 'vitest';
import { guardArguments, guardNodeOptions } from '../../lib/zookeeper/guard/guard-node-options.js';

test.each([
  [undefined, []],
  ['--use-openssl-ca --dns-result-order=ipv4first', ['--use-openssl-ca', '--dns-result-order=ipv4first']],
  ['--require ./apm.js --use-openssl-ca', ['--use-openssl-ca']],
  ['-r ./apm.js --use-openssl-ca --import=./otel.mjs', ['--use-openssl-ca']],
  ['--use-openssl-ca --require "./my apm/a.js" --import "./my \\"otel\\".mjs"', ['--use-openssl-ca']],
  ['--loader ts-node/esm --experimental-loader=./x.mjs', []],
  ['--inspect-brk=127.0.0.1:9229 --inspect-port=0 --inspect', []],
  ['--tls-min-v1.2 --experimental-require-module', ['--tls-min-v1.2', '--experimental-require-module']],
])('of %o, a guard has %o', (given, expected) => {
  expect(guardNodeOptions(given).split(/\s+/).filter(Boolean)).toEqual(expected);
});

test.each([
  [[], []],
  [['--inspect', '--use-openssl-ca', '--import', './otel.mjs'], ['--use-openssl-ca']],
  [
    ['--tls-cipher-list', 'AES', '--tls-min-v1.3'],
    ['--tls-cipher-list', 'AES', '--tls-min-v1.3'],
  ],
  [['--openssl-config=/etc/ssl.cnf', '--enable-source-maps'], ['--openssl-config=/etc/ssl.cnf']],
])('of the arguments %o, a guard has %o', (given, expected) => {
  expect(guardArguments(given)).toEqual(expected);
});
