import fc from 'fast-check';
import { JsonNumber } from './json';
import { JsonReader } from './json-reader';
import { JsonSyntaxError } from './json-syntax-error';
import { parseJson } from './parse-json';
import { skipJson } from './skip-json';
import { writeJson } from './write-json';

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

const refusal = (text: string): JsonSyntaxError => {
  try {
    parseJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
  }
  throw new Error(`accepted: ${text}`);
};

describe('what is read', () => {
  it.each([
    ['null', null],
    [' \t\r\n true ', true],
    ['false', false],
    ['"a"', 'a'],
    [String.raw`"\"\\\/\b\f\n\r\tA"`, '"\\/\b\f\n\r\tA'],
    [String.raw`"\ud83d\ude00 \ud800"`, '😀 \ud800'],
    ['"\u2028\u007f"', '\u2028\u007f'],
    ['-0', new JsonNumber('-0')],
    ['1.50', new JsonNumber('1.50')],
    ['12345678901234567890', new JsonNumber('12345678901234567890')],
    ['1E+400', new JsonNumber('1E+400')],
    ['[]', []],
    ['[1, [ ], {}]', [new JsonNumber('1'), [], new Map()]],
    ['{ "b" : 1 , "a" : [null] }', new Map(Object.entries({ b: new JsonNumber('1'), a: [null] }))],
    ['{"__proto__":1}', new Map([['__proto__', new JsonNumber('1')]])],
  ])('%s', (text, json) => expect(parseJson(text)).toEqual(json));

  it('keeps the order of members that look like indexes', () =>
    expect(writeJson(parseJson('{"2":0,"1":0}'))).toBe('{"2":0,"1":0}'));
});

describe('what is refused, and where', () => {
  it.each([
    ['', 0, ''],
    [' ', 1, ''],
    ['nul', 0, ''],
    ['True', 0, ''],
    ['NaN', 0, ''],
    ['01', 1, ''],
    ['+1', 0, ''],
    ['.5', 0, ''],
    ['5.', 1, ''],
    ['1e', 1, ''],
    ['-', 0, ''],
    ['1 2', 2, ''],
    ['"a', 2, ''],
    ['"a\nb"', 2, ''],
    ['"\u0000"', 1, ''],
    [String.raw`"\x41"`, 1, ''],
    [String.raw`"\u004"`, 1, ''],
    [String.raw`"\u00e9\u12g4"`, 7, ''],
    [String.raw`"\"`, 3, ''],
    ["'a'", 0, ''],
    ['[1,]', 3, '/1'],
    ['[1 2]', 3, '/0'],
    ['[', 1, '/0'],
    ['[1}', 2, '/0'],
    ['{', 1, ''],
    ['{"a"}', 4, '/a'],
    ['{"a":}', 5, '/a'],
    ['{"a":1,}', 7, ''],
    ['{a:1}', 1, ''],
    ['{"a":1 "b":2}', 7, '/a'],
    ['{"a":[0,{"b/~":[true,tru]}]}', 21, '/a/1/b~1~0/1'],
    ['{"a":"}]\\"","b":x}', 16, '/b'],
    ['\ufeff1', 0, ''],
    ['1\u00a0', 1, ''],
    ['// 1', 0, ''],
  ])('%j at %i in "%s"', (text, offset, path) =>
    expect(refusal(text)).toMatchObject({ name: 'JsonSyntaxError', offset, path }),
  );

  it.each(['{"a":1,"a":1}', String.raw`{"a":1,"\u0061":1}`, '{"a":1,"b":{},"a":1}'])(
    'a repeated member name: %s',
    (text) => {
      expect(refusal(text)).toMatchObject({ path: '/a' });
      expect(() => skipJson(new JsonReader(text))).toThrow(JsonSyntaxError);
    },
  );

  it('a repeated name after many others', () => {
    const names = Array.from({ length: 40 }, (_, index) => `"n${index}":0`);
    const text = `{${[...names, '"n30":0'].join(',')}}`;
    expect(refusal(text)).toMatchObject({ path: '/n30' });
    expect(() => skipJson(new JsonReader(text))).toThrow(JsonSyntaxError);
  });

  it('names that differ only in case are different', () =>
    expect(parseJson('{"a":1,"A":1}')).toHaveProperty('size', 2));
});

describe('depth', () => {
  it.each([
    [undefined, 1000, true],
    [undefined, 1001, false],
    [{ maxDepth: 5000 }, 1001, false],
    [{ maxDepth: 2 }, 2, true],
    [{ maxDepth: 2 }, 3, false],
    [{ maxDepth: 0 }, 1, false],
  ])('limits %j, %i deep: %s', (limits, depth, accepted) => {
    const parse = (): unknown => parseJson(nested(depth), limits);
    if (accepted) expect(parse).not.toThrow();
    else expect(parse).toThrow(JsonSyntaxError);
  });

  it('a scalar has depth 0', () => expect(parseJson('1', { maxDepth: 0 })).toBeDefined());

  it('siblings do not add up', () =>
    expect(parseJson('[[],[],{"a":[]}]', { maxDepth: 3 })).toHaveLength(3));

  it('what is as deep as may be is written again', () =>
    expect(writeJson(parseJson(nested(1000)))).toBe(nested(1000)));
});

describe('against JSON.parse', () => {
  it('reads what JSON.stringify wrote, and writes it back', () =>
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t'), (text, indent) => {
        const json = parseJson(JSON.stringify(JSON.parse(text), null, indent));
        expect(JSON.parse(writeJson(json))).toEqual(JSON.parse(text));
      }),
    ));

  it('accepts and refuses the same texts, however they were damaged', () =>
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.nat(3), damage(), (text, at, drop, insert) => {
        const place = at % (text.length + 1);
        const damaged = text.slice(0, place) + insert + text.slice(place + drop);
        const [expected, ...outcomes] = [JSON.parse, parseJson, skipAll].map((read) =>
          accepts(read, damaged),
        );
        const repeats = !outcomes[0] && refusal(damaged).message.includes('repeated');
        expect(outcomes).toEqual(repeats ? [false, false] : [expected, expected]);
      }),
      { numRuns: 500 },
    ));
});

const damage = (): fc.Arbitrary<string> =>
  fc.constantFrom(
    '',
    '"',
    '\\',
    '\\u',
    '\\/',
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '0',
    '-',
    '.',
    'e',
    ' ',
    '\n',
    'null',
    '😀',
  );

const skipAll = (text: string): void => {
  const reader = new JsonReader(text);
  skipJson(reader);
  reader.end();
};

const accepts = (read: (text: string) => unknown, text: string): boolean => {
  try {
    read(text);
    return true;
  } catch {
    return false;
  }
};
