import { expect, test } from 'vitest';
import { at, attempt, tinyHistory } from '../checker/tiny-history.js';
import { fromJson, toJson } from './history-json.js';

test('a history survives JSON, with all 64 bits of its timestamps and tokens', () => {
  const token = Number.MAX_SAFE_INTEGER;
  const history = tinyHistory({
    attempts: [attempt('p1.1#1').asked(0).granted(10, token).released(20)],
    ends: { 'p1.1': { to: at(30), end: 'killed' } },
  });

  expect(fromJson(toJson(history))).toEqual(history);
  expect(fromJson(toJson({ closingSince: 1n }))).toEqual({ closingSince: 1n });
  expect(fromJson(toJson({ token: 2n ** 62n + 1n }))).toEqual({ token: 2n ** 62n + 1n });
});
