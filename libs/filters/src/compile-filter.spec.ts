import {
  JsonText,
  newRecord,
  parseJson,
  parseType,
  type RecordValue,
  type Value,
} from '@penstock/schema';
import { compileFilter } from './compile-filter';
import { aProperty, aSchema } from './schema.fixtures';
import { parseFilter } from './parse-filter';

const schema = aSchema(
  aProperty('a', { kind: 'string' }),
  aProperty('b', { kind: 'string' }),
  aProperty('c', { kind: 'string' }),
);

const compile = (logical: 'and' | 'or') => {
  const conditions = ['a', 'b', 'c'].map((property) => ({
    property,
    operator: 'is',
    values: ['x'],
  }));
  const json = parseJson(JSON.stringify({ logical, conditions }));
  return compileFilter(parseFilter(json, schema, 'SourceUser'), schema);
};

const record = (members: Record<string, Value>): RecordValue => Object.assign(newRecord(), members);

it.each<[logical: 'and' | 'or', values: string, failing: number | undefined]>([
  ['and', 'xxx', undefined],
  ['and', 'xxo', 2],
  ['and', 'xoo', 1],
  ['and', 'oxx', 0],
  ['or', 'xxx', undefined],
  ['or', 'oox', undefined],
  ['or', 'xoo', undefined],
  ['or', 'ooo', 2],
])('%s of %s fails at %p', (logical, [a = '', b = '', c = ''], failing) => {
  const filter = compile(logical);
  expect(filter.failing(record({ a, b, c }))).toBe(failing);
  expect(filter.matches(record({ a, b, c }))).toBe(failing === undefined);
});

it.each<[logical: 'and' | 'or', values: string, verdicts: boolean[]]>([
  ['and', 'xxx', [true, true, true]],
  ['and', 'oxo', [false, true, false]],
  ['or', 'xox', [true, false, true]],
  ['or', 'ooo', [false, false, false]],
])('%s of %s has the verdicts %j, also behind the one that settles it', (...row) => {
  const [logical, [a = '', b = '', c = ''], verdicts] = row;
  expect(compile(logical).verdicts(record({ a, b, c }))).toEqual(verdicts);
});

it.each([
  ['and', 'o', ['a']],
  ['and', 'x', ['a', 'b', 'c']],
  ['or', 'x', ['a']],
  ['or', 'o', ['a', 'b', 'c']],
] as const)('%s stops at the condition that settles it (all %s)', (logical, value, evaluated) => {
  const names: string[] = [];
  const watched = new Proxy(newRecord(), {
    get: (_, name) => {
      names.push(String(name));
      return value;
    },
  });
  compile(logical).matches(watched);
  expect(names).toEqual(evaluated);
});

it.each<[string, ReturnType<typeof aSchema>]>([
  ['lacks the property', aSchema(aProperty('z', { kind: 'string' }))],
  ['has it of a kind that the operator does not fit', aSchema(aProperty('a', { kind: 'boolean' }))],
])('refuses a schema that %s', (_, other) => {
  const json = parseJson(
    '{"logical":"and","conditions":[{"property":"a","operator":"is","values":["x"]}]}',
  );
  const filter = parseFilter(json, schema, 'SourceUser');
  expect(() => compileFilter(filter, other)).toThrow(RangeError);
});

it('explains what each condition has seen, in JSON', () => {
  const seen = aSchema(
    aProperty('n', parseType(parseJson('{"kind":"int","bitSize":64}')), { nullable: true }),
    aProperty('traits', { kind: 'json' }, { readOptional: true }),
    aProperty('list', parseType(parseJson('{"kind":"array","elementType":{"kind":"string"}}'))),
  );
  const conditions = [
    { property: 'n', operator: 'is', values: ['9007199254740993'] },
    { property: 'traits.plan', operator: 'is', values: ['gold'] },
    { property: 'traits.none', operator: 'exists' },
    { property: 'list', operator: 'contains', values: ['b'] },
  ];
  const json = parseJson(JSON.stringify({ logical: 'or', conditions }));
  const filter = compileFilter(parseFilter(json, seen, 'SourceEvent'), seen);
  const given = record({
    n: 9007199254740993n,
    traits: JsonText.of(parseJson('{"plan":"silver"}')),
    list: ['a', 'b'],
  });
  expect(filter.explain(given)).toEqual([
    { ...conditions[0], seen: parseJson('9007199254740993'), holds: true },
    { ...conditions[1], seen: 'silver', holds: false },
    { ...conditions[2], values: [], seen: undefined, holds: false },
    { ...conditions[3], seen: ['a', 'b'], holds: true },
  ]);
});
