import { bench, LONG_MS } from '../runner.fixture';
import { RecordFailure } from '../values/record-failure';

const { runner, run } = bench('Python', LONG_MS);
afterAll(() => runner.close());
jest.setTimeout(60_000);

/** Returns the member of kind json in the function's result, or the message of the failure. */
const dataOf = async (expression: string): Promise<unknown> => {
  const source = `
import collections, datetime, enum
class Name(str): pass
class Number(enum.IntEnum): ONE = 1
class Liar(int):
  def __int__(self): return 7
class Members(dict):
  def items(self): return [(1, 2)]
def nested(levels):
  value = 1
  for _ in range(levels): value = [value]
  return value
def transform(event):
  return {'data': ${expression}}`;
  const { records } = await run(source, ['a'], expression);
  const [record] = records;
  return record instanceof RecordFailure
    ? record.message
    : (record?.['data'] as { text: string }).text;
};

it.each([
  ["{'1': 2, 'true': 3, '-1.5': 4, 'null': 5}", '{"1":2,"true":3,"-1.5":4,"null":5}'],
  ["{Name('a'): Name('b')}", '{"a":"b"}'],
  ["collections.OrderedDict([('b', 1), ('a', 2)])", '{"b":1,"a":2}'],
  ["[(1, 2), {'x': ({'5': 1},)}]", '[[1,2],{"x":[{"5":1}]}]'],
  [
    String.raw`{'quote "1":': '"2":', '\x01d': '\x01b5'}`,
    String.raw`{"quote \"1\":":"\"2\":","\u0001d":"\u0001b5"}`,
  ],
  ['Number.ONE', '1'],
  ['[Liar(1)]', '[1]'],
  [String.raw`[Liar(1), '\x01']`, String.raw`[1,"\u0001"]`],
  ['nested(490)', `${'['.repeat(490)}1${']'.repeat(490)}`],
  [String.raw`['\x01', nested(490)]`, `["\\u0001",${'['.repeat(490)}1${']'.repeat(490)}]`],
  [
    'datetime.datetime(2026, 1, 2, 3, 4, 5, 6, datetime.timezone.utc)',
    '"2026-01-02T03:04:05.000006Z"',
  ],
  ['datetime.datetime(2026, 1, 2, 3, 4, 5)', '"2026-01-02T03:04:05Z"'],
  [
    'datetime.datetime(2026, 1, 2, 3, 4, tzinfo=datetime.timezone(datetime.timedelta(hours=-2)))',
    '"2026-01-02T05:04:00Z"',
  ],
])('writes %s', async (expression, text) => {
  expect(await dataOf(expression)).toBe(text);
});

const KEYS = 'Python: TypeError: keys of a result must be str, not';
const TOO_DEEP = 'Python: ValueError: the result has a cycle or is nested too deeply';
it.each([
  ['{1: 2}', `${KEYS} int`],
  ['{-1: 2}', `${KEYS} int`],
  ['{1.5: 2}', `${KEYS} float`],
  ['{True: 2}', `${KEYS} bool`],
  ['{False: 2}', `${KEYS} bool`],
  ['{None: 2}', `${KEYS} NoneType`],
  ['{Number.ONE: 2}', `${KEYS} Number`],
  ["[{'a': ({'b': {'c': 1, 7: 2}},)}]", `${KEYS} int`],
  ["{'5': {5: 1}}", `${KEYS} int`],
  ['{(1, 2): 3}', `${KEYS} tuple`],
  ['Members(a=1)', `${KEYS} int`],
  ["float('nan')", 'data: NaN has no JSON'],
  ['datetime.date(1990, 5, 1)', 'data: the value has no JSON'],
  ['nested(500)', TOO_DEEP],
  [String.raw`['\x01', nested(500)]`, TOO_DEEP],
  ["[float('nan'), nested(500)]", TOO_DEEP],
  ['nested(100_000)', TOO_DEEP],
])('fails the record for %s', async (expression, message) => {
  expect(await dataOf(expression)).toBe(message);
});
