import * as kinds from './kinds';
import type { Variable } from './variable';

type Row = [kind: string, variable: Variable<unknown>, good: [string, unknown][], bad: string[]];

const letters = (count: number): string => 'a'.repeat(count);

const ROWS: Row[] = [
  [
    'integer',
    kinds.integer({ min: -5, max: 10 }),
    [
      ['-5', -5],
      ['10', 10],
      ['007', 7],
    ],
    ['-6', '11', '1.0', '1e1', ' 1', '0x1', 'ten', '9999999999999999'],
  ],
  [
    'duration',
    kinds.duration({ min: '36h', max: '10d' }),
    [
      ['36h', 129_600_000],
      ['2d', 172_800_000],
      ['10d', 864_000_000],
      ['240h', 864_000_000],
      ['2160m', 129_600_000],
      ['129600s', 129_600_000],
    ],
    [
      '35h',
      '1d',
      '11d',
      '241h',
      '36',
      '36H',
      '1.5d',
      '-2d',
      ' 2d',
      '2 d',
      '2m',
      '2159m',
      '129599s',
      'd',
      '9999999999d',
    ],
  ],
  [
    'httpUrl',
    kinds.httpUrl,
    [
      ['http://collector:4318', 'http://collector:4318'],
      ['https://user:word@host/path/', 'https://user:word@host/path/'],
    ],
    ['collector:4318', 'grpc://host', 'http://', 'http://host/?a=1', 'http://host/#a', '/v1'],
  ],
  [
    'ratio',
    kinds.ratio,
    [
      ['0', 0],
      ['1', 1],
      ['0.01', 0.01],
      ['.5', 0.5],
      ['1.0', 1],
    ],
    ['-0.1', '1.1', '1e-2', '1.01', '2', 'half', '.', ' 0'],
  ],
  [
    'pairs',
    kinds.pairs,
    [
      ['a=1', { a: '1' }],
      [' a = 1 , b=two%20words,c=,', { a: '1', b: 'two words', c: '' }],
      ['Authorization=Basic%20YTpi', { Authorization: 'Basic YTpi' }],
      ['a=b=c', { a: 'b=c' }],
    ],
    ['a', '=1', 'a=1,b', 'a=%zz', 'a b=1'],
  ],
  [
    'boolean',
    kinds.boolean,
    [
      ['1', true],
      ['true', true],
      ['0', false],
      ['false', false],
    ],
    ['TRUE', 'yes', '2', ' 1'],
  ],
  [
    'oneOf',
    kinds.oneOf(['json', 'pretty']),
    [
      ['json', 'json'],
      ['PRETTY', 'pretty'],
    ],
    ['xml', 'json,pretty'],
  ],
  [
    'text',
    kinds.text({ minLength: 2, maxLength: 4 }),
    [
      ['ab', 'ab'],
      ['abcd', 'abcd'],
    ],
    ['a', 'abcde'],
  ],
  ['matching', kinds.matching(/^[a-z]+$/, 'letters'), [['ab', 'ab']], ['a1']],
  [
    'listOf',
    kinds.listOf('words', (item) => (item === '' ? undefined : item)),
    [
      ['a', ['a']],
      ['a, b ,c', ['a', 'b', 'c']],
    ],
    ['a,', ',', 'a,,b'],
  ],
  [
    'port',
    kinds.port,
    [
      ['0', 0],
      ['65535', 65_535],
    ],
    ['-1', '65536'],
  ],
  [
    'host',
    kinds.host,
    [
      ['0.0.0.0', '0.0.0.0'],
      ['::', '::'],
      ['localhost', 'localhost'],
      ['a.b-c.example', 'a.b-c.example'],
      [letters(253), letters(253)],
    ],
    ['256.0.0.1', '1.2.3', 'a b', '-a', 'a-', 'a..b', 'http://a', 'a:80', letters(254)],
  ],
  [
    'brokers',
    kinds.brokers,
    [
      ['kafka:9092', ['kafka:9092']],
      ['10.0.0.1:1, [::1]:65535', ['10.0.0.1:1', '[::1]:65535']],
    ],
    ['kafka', 'kafka:', ':9092', 'kafka:0', 'kafka:65536', 'a:1,', '::1:9092', '[a]:1', 'a:1;b:1'],
  ],
  [
    'addressRanges',
    kinds.addressRanges,
    [
      ['10.0.0.0/8', ['10.0.0.0/8']],
      ['127.0.0.1, ::1', ['127.0.0.1/32', '::1/128']],
      ['0.0.0.0/0,fd00::/128', ['0.0.0.0/0', 'fd00::/128']],
      ['10.0.0.0/32', ['10.0.0.0/32']],
    ],
    ['10.0.0.0/33', 'fd00::/129', '10.0.0/8', 'localhost', '10.0.0.0/', '10.0.0.0/-1', '/8'],
  ],
  [
    'postgresUrl',
    kinds.postgresUrl,
    ['postgres://u:p@db:5432/n', 'postgresql://db/n', 'postgres:///n?host=/run/postgresql'].map(
      (url) => [url, url],
    ),
    ['db', 'mysql://db/n', 'postgres:///n', 'postgres://db:99999/n'],
  ],
];

describe.each(ROWS)('%s', (_, variable, good, bad) => {
  it.each(good)('takes %j', (value, expected) => expect(variable.parse(value)).toEqual(expected));
  it.each(bad)('refuses %j', (value) => expect(variable.parse(value)).toBeUndefined());
});

it('has a row for every kind', () => {
  expect(ROWS.map(([kind]) => kind).sort()).toEqual(Object.keys(kinds).sort());
});
