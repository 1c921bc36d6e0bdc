import { Invalid, type Issue } from '../issue';
import { JsonText } from '../json-text';
import { parseJson } from '../parse-json';
import type { Schema, Type } from '../type';
import { parseSchema, parseType } from '../types/parse-type';
import { newRecord, type RecordValue, type Value } from '../value';
import { compileCodec } from './record-codec';
import { checkValue, decodeValue, encodeValue, textOf, valueToJson } from './values';

const type = (text: string): Type => parseType(parseJson(text));

const schema = (...properties: string[]): Schema =>
  parseSchema(parseJson(`{"kind":"object","properties":[${properties.join(',')}]}`));

const record = (members: Record<string, Value>): RecordValue => Object.assign(newRecord(), members);

const issuesOf = (act: () => unknown): readonly Issue[] => {
  try {
    act();
    return [];
  } catch (error) {
    if (error instanceof Invalid) return error.issues;
    throw error;
  }
};

/** The text that comes back, or undefined when either way of reading refuses; both must agree. */
const written = (of: string, input: string): string | undefined => {
  const whole = schema(`{"name":"v","type":${of}}`);
  const codec = compileCodec(whole);
  const outcomes = [
    () => codec.parse(`{"v":${input}}`),
    () => codec.decode(parseJson(`{"v":${input}}`)),
  ].map((read) => (issuesOf(read).length === 0 ? codec.encode(read()).slice(5, -1) : undefined));
  expect(outcomes[0]).toBe(outcomes[1]);
  return outcomes[0];
};

const STRING = '{"kind":"string"}';
const FLOAT = '{"kind":"float","bitSize":64}';

describe('values in and out', () => {
  it.each([
    [STRING, String.raw`"\u00e9\/\n"`, '"é/\\n"'],
    [STRING, '""', '""'],
    [STRING, '"😀"', '"😀"'],
    ['{"kind":"boolean"}', 'true', 'true'],
    ['{"kind":"int","bitSize":8}', '-128', '-128'],
    ['{"kind":"int","bitSize":64}', '"9223372036854775807"', '9223372036854775807'],
    ['{"kind":"int","bitSize":64,"unsigned":true}', '"-0"', '0'],
    [FLOAT, '-0.0', '0'],
    [FLOAT, '1E21', '1e+21'],
    [FLOAT, '0.0000001', '1e-7'],
    [FLOAT, '1e-400', '0'],
    [FLOAT, '"-Infinity"', '"-Infinity"'],
    ['{"kind":"float","bitSize":32}', '16777217', '16777216'],
    ['{"kind":"float","bitSize":64,"minimum":0}', '"Infinity"', '"Infinity"'],
    ['{"kind":"decimal","precision":5,"scale":2}', '-0.00', '0'],
    ['{"kind":"decimal","precision":5,"scale":2}', '999.9900', '999.99'],
    ['{"kind":"datetime"}', '"2024-W09-4 10"', '"2024-02-29T10:00:00Z"'],
    ['{"kind":"time"}', '"10:11:12.1"', '"10:11:12.100"'],
    ['{"kind":"year"}', '9999', '9999'],
    ['{"kind":"ip"}', '"::FFFF:1.2.3.4"', '"::ffff:1.2.3.4"'],
    ['{"kind":"json"}', 'null', 'null'],
    ['{"kind":"json"}', ' { "b" : 1.50 , "a" : [ "\\u0041" , 1E5 ] } ', '{"b":1.50,"a":["A",1E5]}'],
    ['{"kind":"json"}', '"a b\\n"', '"a b\\n"'],
    ['{"kind":"array","elementType":{"kind":"json"}}', '[null, {}]', '[null,{}]'],
    [
      '{"kind":"map","elementType":{"kind":"year"}}',
      '{"\uffff":1,"😀":2,"":3,"b":4,"B":5}',
      '{"":3,"B":5,"b":4,"\uffff":1,"😀":2}',
    ],
  ])('%s of %s', (of, input, output) => expect(written(of, input)).toBe(output));

  it.each([
    [STRING, 'null'],
    [STRING, '"\\u0000"'],
    [STRING, '"\\ud800"'],
    [STRING, '"\ud800"'],
    ['{"kind":"boolean"}', '"true"'],
    ['{"kind":"boolean"}', '1'],
    ['{"kind":"int","bitSize":8}', '"5"'],
    ['{"kind":"int","bitSize":32}', '5.0'],
    ['{"kind":"int","bitSize":64}', '"+5"'],
    ['{"kind":"int","bitSize":64}', '"5 "'],
    ['{"kind":"int","bitSize":64}', '123456789012345678901234567890'],
    [FLOAT, '"1.5"'],
    [FLOAT, '"infinity"'],
    [FLOAT, '1e309'],
    ['{"kind":"float","bitSize":64,"real":true}', '"NaN"'],
    ['{"kind":"float","bitSize":64,"minimum":0}', '"NaN"'],
    ['{"kind":"float","bitSize":64,"maximum":0}', '"NaN"'],
    ['{"kind":"float","bitSize":64,"maximum":1.7976931348623157e308}', '"Infinity"'],
    ['{"kind":"decimal","precision":5,"scale":2}', '"1"'],
    ['{"kind":"decimal","precision":5,"scale":2}', '1000'],
    ['{"kind":"decimal","precision":5,"scale":2}', '1.001'],
    ['{"kind":"datetime"}', '2024'],
    ['{"kind":"year"}', '10000'],
    ['{"kind":"year"}', '2024.0'],
    ['{"kind":"json"}', '{"a":{"b":1,"b":2}}'],
    ['{"kind":"json"}', '{"a":"\\u0000"}'],
    ['{"kind":"json"}', '{"\\ud800":1}'],
    ['{"kind":"json"}', '["\udc00"]'],
    ['{"kind":"array","elementType":{"kind":"string"}}', '[null]'],
    ['{"kind":"map","elementType":{"kind":"string"}}', '{"a":null}'],
    ['{"kind":"map","elementType":{"kind":"string"}}', '[]'],
  ])('%s refuses %s', (of, input) => {
    const whole = schema(`{"name":"v","type":${of}}`);
    expect(() => compileCodec(whole).parse(`{"v":${input}}`)).toThrow(Invalid);
    expect(() => compileCodec(whole).decode(parseJson(`{"v":${input}}`))).toThrow();
  });
});

describe('both sides of every constraint', () => {
  it.each([
    ['{"kind":"string","values":["a",""]}', '""', '"b"'],
    ['{"kind":"string","pattern":"b"}', '"abc"', '"ac"'],
    ['{"kind":"string","maxLength":2}', '"😀😀"', '"😀😀a"'],
    ['{"kind":"string","maxLength":2}', '"èè"', '"èèè"'],
    ['{"kind":"string","maxByteLength":4}', '"😀"', '"😀a"'],
    ['{"kind":"string","maxByteLength":4}', '"èè"', '"èèa"'],
    ['{"kind":"string","values":["abc"],"maxLength":3}', '"abc"', '"ab"'],
    ['{"kind":"string","values":["abcd"],"maxLength":4,"maxByteLength":4}', '"abcd"', '"abcde"'],
    ['{"kind":"int","bitSize":24}', '8388607', '8388608'],
    ['{"kind":"int","bitSize":24,"unsigned":true}', '16777215', '16777216'],
    ['{"kind":"int","bitSize":8,"minimum":3}', '3', '2'],
    ['{"kind":"int","bitSize":64}', '-9223372036854775808', '-9223372036854775809'],
    ['{"kind":"int","bitSize":64,"maximum":7}', '"7"', '"8"'],
    ['{"kind":"float","bitSize":64,"minimum":0.1}', '0.1', '0.09999'],
    ['{"kind":"float","bitSize":32,"minimum":0.1}', '0.1', '0.09999'],
    ['{"kind":"float","bitSize":32}', '3.4028235e38', '3.4028236e38'],
    ['{"kind":"decimal","precision":5,"scale":2,"minimum":-1}', '-1.00', '-1.01'],
    ['{"kind":"decimal","precision":5,"scale":2,"maximum":10.5}', '10.50', '10.51'],
    ['{"kind":"decimal","precision":76,"scale":37}', `1e38`, `1e39`],
    ['{"kind":"year"}', '1', '0'],
    ['{"kind":"array","elementType":{"kind":"year"},"minElements":2}', '[1,1]', '[1]'],
    ['{"kind":"array","elementType":{"kind":"year"},"maxElements":2}', '[1,1]', '[1,1,1]'],
    ['{"kind":"array","elementType":{"kind":"year"},"maxElements":0}', '[]', '[1]'],
  ])('%s takes %s, but not %s', (of, inside, outside) => {
    expect(written(of, inside)).toBeDefined();
    expect(written(of, outside)).toBeUndefined();
  });

  it.each([
    [STRING, '["e\\u0301","é"]', '["é","\\u00e9"]'],
    ['{"kind":"int","bitSize":64}', '[1,"2"]', '[1,"1"]'],
    [FLOAT, '[1,2]', '[1,1.0e0]'],
    [FLOAT, '["Infinity","-Infinity"]', '["NaN","NaN"]'],
    ['{"kind":"float","bitSize":32}', '[16777216,16777218]', '[16777216,16777217]'],
    ['{"kind":"decimal","precision":3,"scale":1}', '[1,1.1]', '[1,1.0]'],
    ['{"kind":"datetime"}', '["2024-01-01","2024-01-02"]', '["2024-01-01","2024-01-01T01:00+01"]'],
    ['{"kind":"ip"}', '["::1","::2"]', '["::1","0::1"]'],
    [
      '{"kind":"uuid"}',
      '[]',
      '["550e8400-e29b-41d4-a716-446655440000","550E8400E29B41D4A716446655440000"]',
    ],
    ['{"kind":"boolean"}', '[true,false]', '[true,true]'],
  ])('unique elements of %s: %s, but not %s', (element, inside, outside) => {
    const of = `{"kind":"array","elementType":${element},"uniqueElements":true}`;
    expect(written(of, inside)).toBeDefined();
    expect(written(of, outside)).toBeUndefined();
  });
});

describe('records', () => {
  const codec = compileCodec(
    schema(
      '{"name":"a","type":{"kind":"string"}}',
      '{"name":"b","type":{"kind":"int","bitSize":32},"readOptional":true}',
      '{"name":"c","type":{"kind":"year"},"readOptional":true,"nullable":true}',
      '{"name":"j","type":{"kind":"json"},"readOptional":true,"nullable":true}',
      '{"name":"o","type":{"kind":"object","properties":[{"name":"x","type":{"kind":"date"}},{"name":"y","type":{"kind":"date"}}]},"readOptional":true}',
      '{"name":"l","type":{"kind":"array","elementType":{"kind":"year"}},"readOptional":true}',
      '{"name":"m","type":{"kind":"map","elementType":{"kind":"year"}},"readOptional":true}',
    ),
  );

  const bothWays = (text: string): readonly Issue[] => {
    const issues = issuesOf(() => codec.parse(text));
    expect(issuesOf(() => codec.decode(parseJson(text)))).toEqual(issues);
    return issues;
  };

  it('are written in the order of the schema, absent members absent', () => {
    const text = ' {"c" : null, "b": 1, "a": "x"} ';
    expect(codec.encode(codec.parse(text))).toBe('{"a":"x","b":1,"c":null}');
    expect(codec.parse(text)).toEqual(record({ a: 'x', b: 1, c: null }));
  });

  it('hold JSON null as JSON, nullable or not', () =>
    expect(codec.parse('{"a":"","j":null}')).toEqual(
      record({ a: '', j: JsonText.trusted('null') }),
    ));

  it('have no prototype to collide with', () => {
    const open = compileCodec(
      schema(
        '{"name":"__proto__","type":{"kind":"year"},"readOptional":true}',
        '{"name":"toString","type":{"kind":"year"},"readOptional":true}',
      ),
    );
    expect(open.encode(open.parse('{}'))).toBe('{}');
    expect(open.encode(open.parse('{"__proto__":1,"toString":2}'))).toBe(
      '{"__proto__":1,"toString":2}',
    );
  });

  it.each([
    ['{}', ['/a']],
    ['[]', ['']],
    ['{"a":null,"b":null,"c":null}', ['/a', '/b']],
    ['{"a":1,"b":"x","z":{"z":[]}}', ['/a', '/b', '/z']],
    ['{"a":{"a":1},"o":{"x":"2024-02-30","z":0}}', ['/a', '/o/x', '/o/z', '/o/y']],
    ['{"a":"","l":[1,0,"x",2],"m":{"p/q":[],"r":1}}', ['/l/1', '/l/2', '/m/p~1q']],
    ['{"a":"","o":[],"l":{},"m":1}', ['/o', '/l', '/m']],
  ])('%s is refused at %j', (text, paths) =>
    expect(bothWays(text).map(({ path }) => path)).toEqual(paths),
  );

  it.each([
    ['{"a":"","b":tru}', '/b'],
    ['{"a":"","a":""}', '/a'],
    ['{"a":"","m":{"k":1,"k":2}}', '/m/k'],
    ['{"a":"","j":{"k":[{"x":1,"x":2}]}}', '/j/k/0/x'],
    ['{"a":""} x', ''],
    ['{"a":""', '/a'],
    ['', ''],
  ])('%s is no JSON at %j', (text, path) =>
    expect(issuesOf(() => codec.parse(text))).toMatchObject([{ path }]),
  );

  it('may lack any member where that is allowed', () => {
    const partial = compileCodec(
      schema(
        '{"name":"a","type":{"kind":"object","properties":[{"name":"x","type":{"kind":"year"}}]}}',
      ),
      { partial: true },
    );
    expect(partial.encode(partial.parse('{"a":{}}'))).toBe('{"a":{}}');
    expect(partial.encode(partial.decode(parseJson('{}')))).toBe('{}');
    expect(issuesOf(() => partial.parse('{"a":{"y":1}}'))).toMatchObject([{ path: '/a/y' }]);
  });

  it('report no more than a thousand issues of one value', () => {
    const text = `{"a":"","l":[${Array(2000).fill('"x"').join(',')}]}`;
    expect(issuesOf(() => codec.parse(text))).toHaveLength(1000);
  });
});

describe('values in memory', () => {
  const object =
    '{"kind":"object","properties":[{"name":"a","type":{"kind":"year"},"nullable":true},{"name":"b","type":{"kind":"string"}}]}';

  it.each<[string, Value]>([
    [STRING, 'a'],
    ['{"kind":"int","bitSize":64}', 5n],
    [FLOAT, NaN],
    ['{"kind":"float","bitSize":32}', 0.5],
    ['{"kind":"decimal","precision":5,"scale":2}', '1.5'],
    ['{"kind":"datetime"}', '2024-02-29T10:11:12Z'],
    ['{"kind":"json"}', JsonText.trusted('{"a":"\\\\u0000"}')],
    ['{"kind":"array","elementType":{"kind":"year"}}', [1, 2]],
    ['{"kind":"map","elementType":{"kind":"year"}}', new Map([['a', 1]])],
    [object, record({ a: null })],
    [object, record({})],
  ])('%s takes %p', (of, value) => expect(checkValue(type(of), value)).toBeUndefined());

  it.each<[string, Value, string[]]>([
    [STRING, 5, ['']],
    [STRING, '\0', ['']],
    ['{"kind":"boolean"}', 'true', ['']],
    ['{"kind":"int","bitSize":64}', 5, ['']],
    ['{"kind":"int","bitSize":32}', 5n, ['']],
    ['{"kind":"int","bitSize":32}', 1.5, ['']],
    [FLOAT, '1.5', ['']],
    ['{"kind":"float","bitSize":32}', 0.1, ['']],
    ['{"kind":"decimal","precision":5,"scale":2}', '1.50', ['']],
    ['{"kind":"decimal","precision":5,"scale":2}', 1.5, ['']],
    ['{"kind":"datetime"}', '2024-02-29T10:11:12+00:00', ['']],
    ['{"kind":"uuid"}', '550E8400-E29B-41D4-A716-446655440000', ['']],
    ['{"kind":"json"}', null, ['']],
    ['{"kind":"json"}', JsonText.trusted('"\\u0000"'), ['']],
    ['{"kind":"json"}', JsonText.trusted('{"\\ud800":1}'), ['']],
    ['{"kind":"array","elementType":{"kind":"year"}}', new Map(), ['']],
    ['{"kind":"array","elementType":{"kind":"year"}}', [1, null, 0], ['/1', '/2']],
    ['{"kind":"map","elementType":{"kind":"year"}}', record({ a: 1 }), ['']],
    ['{"kind":"map","elementType":{"kind":"year"}}', new Map([['a/b', 0]]), ['/a~1b']],
    [object, new Map(), ['']],
    [object, JsonText.trusted('{}'), ['']],
    [object, null, ['']],
    [object, record({ a: 0, b: null, c: 1 }), ['/a', '/b', '/c']],
  ])('%s refuses %p', (of, value, paths) => {
    expect(checkValue(type(of), value)?.map(({ path }) => path)).toEqual(paths);
    expect(issuesOf(() => encodeValue(type(of), value)).map(({ path }) => path)).toEqual(paths);
  });

  it.each<[string, string, string]>([
    [STRING, '"a\\"b"', 'a"b'],
    ['{"kind":"boolean"}', 'true', 'true'],
    ['{"kind":"int","bitSize":64}', '12', '12'],
    [FLOAT, '"NaN"', 'NaN'],
    ['{"kind":"date"}', '"2024-02-29"', '2024-02-29'],
    ['{"kind":"json"}', '{"a": "b"}', '{"a":"b"}'],
    ['{"kind":"array","elementType":{"kind":"string"}}', '["a"]', '["a"]'],
    ['{"kind":"map","elementType":{"kind":"string"}}', '{"b":"","a":""}', '{"a":"","b":""}'],
    [object, '{"b":"x","a":null}', '{"a":null,"b":"x"}'],
  ])('the text of a value of %s: %s is %s', (of, input, text) => {
    const value = decodeValue(type(of), parseJson(input));
    expect(textOf(type(of), value)).toBe(text);
    expect(decodeValue(type(of), valueToJson(type(of), value))).toEqual(value);
  });
});
