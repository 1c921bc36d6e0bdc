import fc from 'fast-check';
import { parseJson, writeJson } from '@penstock/schema';
import { ByteReader } from './byte-reader';
import { MalformedBody } from './malformed-body';
import { readRaw } from './read-raw';

const readerOf = (text: string, maxDepth = 32) => new ByteReader(Buffer.from(text), maxDepth);

const read = (text: string, maxDepth?: number): void => {
  const reader = readerOf(text, maxDepth);
  reader.skip();
  reader.end();
};

const isAccepted = (text: string): boolean => {
  try {
    read(text);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedBody);
    return false;
  }
};

const GOOD = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '1.50',
  '-1e+5',
  '1E-2',
  '""',
  '"é"',
  '"\\u00e9\\n\\/"',
  '"\\ud83d\\ude00"',
  '[]',
  '{}',
  ' [ 1 , 2 ] ',
  '\t{\r\n"a" : 1 }',
  '{"a":{"a":1}}',
  '[{"a":1},{"a":1}]',
  '"\\u0000"',
  '"\\ud800"',
];

const BAD = [
  '',
  ' ',
  'nul',
  'nulls',
  'True',
  '01',
  '1.',
  '.5',
  '+1',
  '1e',
  '1e+',
  '-',
  '--1',
  'NaN',
  '0x1',
  '"',
  '"a',
  '"\\x"',
  '"\\u12"',
  '"\\u12g4"',
  '"\n"',
  "'a'",
  '[',
  ']',
  '[1',
  '[1,]',
  '[,1]',
  '[1 2]',
  '{',
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{a:1}',
  '{"a":1 "b":2}',
  '{"a":1,"a":2}',
  '{"a":1,"\\u0061":2}',
  '[{"b":{"x":1,"y":2,"x":3}}]',
  '1 2',
  '{}}',
  '\u00a0[]',
];

describe('ByteReader', () => {
  it.each(GOOD)('reads %j', (text) => {
    expect(isAccepted(text)).toBe(true);
  });

  it.each(BAD)('refuses %j', (text) => {
    expect(isAccepted(text)).toBe(false);
  });

  it('counts how deep a text nests', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(() => read(nested(3), 3)).not.toThrow();
    expect(() => read(nested(4), 3)).toThrow('deeper than 3');
    expect(() => read(`[${nested(2)},${nested(2)}]`, 3)).not.toThrow();
  });

  it('finds a repeated name among many', () => {
    const members = (names: readonly string[]) => `{${names.map((name) => `"${name}":1`).join()}}`;
    const names = Array.from({ length: 100 }, (_, index) => `n${String(index)}`);
    expect(isAccepted(members(names))).toBe(true);
    for (const repeated of ['n0', 'n15', 'n16', 'n99'])
      expect(isAccepted(members([...names, repeated]))).toBe(false);
    expect(isAccepted(`[${members(names)},${members(names)}]`)).toBe(true);
  });

  it('accepts what JSON.parse accepts, except repeated names', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 5 }),
        fc.nat(),
        fc.string({ maxLength: 1 }),
        (text, at, inserted) => {
          expect(isAccepted(text)).toBe(true);
          const cut = at % (text.length + 1);
          const broken = `${text.slice(0, cut)}${inserted}${text.slice(cut)}`;
          let isJson = true;
          try {
            parseJson(broken);
          } catch {
            isJson = false;
          }
          expect(isAccepted(broken)).toBe(isJson);
        },
      ),
    );
  });
});

describe('readRaw', () => {
  it('returns the compact text that a lossless parser writes', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.nat({ max: 3 }),
        (object, spaces) => {
          const text = JSON.stringify(object, null, spaces);
          expect(readRaw(readerOf(text))).toBe(writeJson(parseJson(text)));
        },
      ),
    );
  });

  it.each([
    ['{"n":12345678901234567890,"t":1.50,"e":1E5}', '{"n":12345678901234567890,"t":1.50,"e":1E5}'],
    ['{ "b" : 1 , "a" : [ "x y" , "\\" z" ] , "2" : 0 }', '{"b":1,"a":["x y","\\" z"],"2":0}'],
    ['{"a":"\\u00e9\\/"}', '{"a":"é/"}'],
    ['null', undefined],
    ['""', undefined],
    ['[1]', '[]'],
    ['5', '5'],
    ['{"a":"\\u0000"}', '\0'],
    ['{"\\ud800":1}', '\0'],
  ])('%s is %j', (text, raw) => {
    expect(readRaw(readerOf(text))).toBe(raw);
  });
});
