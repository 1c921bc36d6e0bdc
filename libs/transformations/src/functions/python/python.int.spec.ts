import { FunctionRefused } from '../function-errors';
import { bench } from '../runner.fixture';

const { runner, compile, run } = bench('Python');
afterAll(() => runner.close());
jest.setTimeout(60_000);

const REFUSED: readonly [source: string, message: RegExp, line: number, column: number][] = [
  ['a = 1\ndef f(', /^Python: SyntaxError: .* \(line 2\)$/, 2, 6],
  ['raise ValueError("no")', /^Python: ValueError: no \(line 1\)$/, 1, 0],
  ['other = 1', /^Python: NameError: name 'transform' is not defined$/, 0, 0],
  ['transform = 1', /^Python: NameError: name 'transform' is not defined$/, 0, 0],
  ['while True: pass', /^Python: time limit of 2 s exceeded$/, 0, 0],
  ['a = "x" * 10 ** 9', /^Python: memory limit exceeded$/, 0, 0],
];

it.each(REFUSED)('refuses %j', async (source, message, line, column) => {
  const error = await compile(source).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(FunctionRefused);
  expect(error).toMatchObject({
    message: expect.stringMatching(message) as string,
    line,
    column,
  });
});

it.each([
  'def transform(e):\n  return e',
  'async def transform(e):\n  return e',
  'transform = dict',
])('accepts %j', async (source) => {
  await expect(compile(source)).resolves.toBeUndefined();
});

it('has the documented part of the standard library', async () => {
  const source = `
import math, datetime, decimal, uuid, json, re, string, hashlib, hmac, base64, collections, itertools, functools
import random, time, unicodedata, urllib.parse, ipaddress, zoneinfo
async def half(number):
  return number // 2
async def transform(event):
  return {'number': await half(84), 'text': hashlib.sha256(b'a').hexdigest()[:4] + time.tzname[0]}`;
  expect((await run(source, ['a'])).records).toEqual([{ number: 42, text: 'ca97UTC' }]);
});

it('reports where a function threw', async () => {
  const { records } = await run("def transform(e):\n  return e['x']", ['a']);
  expect(records).toEqual([
    expect.objectContaining({
      step: 'Transformation',
      message: "Python: KeyError: 'x' (line 2)",
    }),
  ]);
});
