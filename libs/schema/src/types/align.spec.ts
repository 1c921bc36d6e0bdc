import { parseJson } from '../parse-json';
import type { Schema } from '../type';
import { align, type AlignmentMode } from './align';
import { parseSchema } from './parse-type';

const schema = (...properties: string[]): Schema =>
  parseSchema(parseJson(`{"kind":"object","properties":[${properties.join(',')}]}`));

const a = (type: string, flags = ''): string => `{"name":"a","type":${type}${flags}}`;
const b = (flags = ''): string => `{"name":"b","type":{"kind":"year"}${flags}}`;
const YEAR = '{"kind":"year"}';
const objectOf = (...properties: string[]): string =>
  `{"kind":"object","properties":[${properties.join(',')}]}`;

const CREATE = ',"createRequired":true';
const UPDATE = ',"updateRequired":true';

const MODES: AlignmentMode[] = [null, 'CreateOnly', 'UpdateOnly', 'CreateOrUpdate'];

describe('flags, in the modes none, CreateOnly, UpdateOnly, CreateOrUpdate', () => {
  it.each([
    [CREATE, [false, true, false, true]],
    [UPDATE, [false, false, true, true]],
    [',"readOptional":true', [true, false, false, false]],
    [',"nullable":true', [true, true, true, true]],
    [',"description":"x","prefilled":"y"', [false, false, false, false]],
  ])('%s', (flags, differs) => {
    const found = (submitted: Schema, current: Schema): boolean[] =>
      MODES.map((mode) => align(submitted, current, mode).length > 0);
    expect(found(schema(a(YEAR, flags)), schema(a(YEAR)))).toEqual(differs);
    expect(found(schema(a(YEAR)), schema(a(YEAR, flags)))).toEqual(differs);
  });

  it.each([
    ['', [false, false, false, false]],
    [CREATE, [false, true, false, true]],
    [UPDATE, [false, false, true, true]],
  ])('a property with %j left out', (flags, differs) => {
    const inside = (flag: string): Schema => schema(a(objectOf(a(YEAR), b(flag))));
    for (const [submitted, current, at] of [
      [schema(a(YEAR)), schema(a(YEAR), b(flags)), ''],
      [null, schema(b(flags)), ''],
      [schema(a(objectOf(a(YEAR)))), inside(flags), '/properties/0/type'],
    ] as const) {
      const paths = MODES.map((mode) => align(submitted, current, mode).map(({ path }) => path));
      expect(paths).toEqual(differs.map((differ) => (differ ? [at] : [])));
    }
  });

  it('what is required in an object that is left out does not count', () =>
    expect(align(schema(b()), schema(b(), a(objectOf(b(CREATE)))), 'CreateOnly')).toEqual([]));
});

describe('types', () => {
  it.each([
    [
      '{"kind":"string"}',
      '{"kind":"string","maxLength":5}',
      'a: maxLength is not set, in the current schema it is 5',
    ],
    [
      '{"kind":"string","values":["x","y"]}',
      '{"kind":"string","values":["y","x"]}',
      'a: values is ["x","y"], in the current schema it is ["y","x"]',
    ],
    [
      '{"kind":"string","pattern":"x"}',
      '{"kind":"string","pattern":"y"}',
      'a: pattern is "x", in the current schema it is "y"',
    ],
    [
      '{"kind":"int","bitSize":8}',
      '{"kind":"float","bitSize":64}',
      'a: kind is int, in the current schema it is float',
    ],
    [
      '{"kind":"float","bitSize":32,"real":true}',
      '{"kind":"float","bitSize":32}',
      'a: real is true, in the current schema it is not set',
    ],
    [
      '{"kind":"array","elementType":{"kind":"year"}}',
      '{"kind":"array","elementType":{"kind":"date"}}',
      'a: kind is year, in the current schema it is date',
    ],
    [
      '{"kind":"array","elementType":{"kind":"year"}}',
      '{"kind":"array","elementType":{"kind":"year"},"uniqueElements":true}',
      'a: uniqueElements is not set, in the current schema it is true',
    ],
    [
      '{"kind":"map","elementType":{"kind":"int","bitSize":8}}',
      '{"kind":"map","elementType":{"kind":"int","bitSize":16}}',
      'a: bitSize is 8, in the current schema it is 16',
    ],
  ])('%s against %s', (submitted, current, message) =>
    expect(align(schema(b(), a(submitted)), schema(a(current), b()), null)).toEqual([
      { property: 'a', path: '/properties/1', message },
    ]),
  );

  it.each([
    ['{"kind":"int","bitSize":8,"minimum":-128}', '{"kind":"int","bitSize":8}'],
    ['{"kind":"string","charLen":5}', '{"kind":"string","maxLength":5}'],
    [
      '{"kind":"decimal","precision":3,"maximum":999}',
      '{"kind":"decimal","precision":3,"scale":0}',
    ],
    [
      '{"kind":"array","elementType":{"kind":"year"},"minElements":0}',
      '{"kind":"array","elementType":{"kind":"year"}}',
    ],
    [objectOf(a(YEAR), b()), objectOf(b(), a(YEAR))],
  ])('%s is equal to %s', (submitted, current) =>
    expect(align(schema(a(submitted)), schema(a(current)), 'CreateOrUpdate')).toEqual([]),
  );

  it('reports everything at once, through objects, arrays and maps', () => {
    const submitted = schema(
      a(
        `{"kind":"array","elementType":${objectOf(a('{"kind":"date"}', ',"nullable":true'), b())},"maxElements":2}`,
      ),
      '{"name":"m","type":{"kind":"map","elementType":' + objectOf(b(CREATE)) + '}}',
      '{"name":"gone","type":{"kind":"year"}}',
    );
    const current = schema(
      a(`{"kind":"array","elementType":${objectOf(a('{"kind":"time"}'))}}`),
      '{"name":"m","type":{"kind":"map","elementType":' + objectOf(b(), a(YEAR, CREATE)) + '}}',
      '{"name":"needed","type":{"kind":"year"},"createRequired":true}',
    );
    const found = align(submitted, current, 'CreateOnly');
    expect(found.map(({ property, path }) => [property, path])).toEqual([
      ['a', '/properties/0'],
      ['a.a', '/properties/0/type/elementType/properties/0'],
      ['a.a', '/properties/0/type/elementType/properties/0'],
      ['a.b', '/properties/0/type/elementType/properties/1'],
      ['m.b', '/properties/1/type/elementType/properties/0'],
      ['m.a', '/properties/1/type/elementType'],
      ['gone', '/properties/2'],
      ['needed', ''],
    ]);
  });
});
