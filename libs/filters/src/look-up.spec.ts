import { JsonNumber, JsonText, newRecord, type RecordValue, type Value } from '@penstock/schema';
import { anInt, aProperty, aSchema } from './schema.fixtures';
import { lookUp } from './look-up';
import { locate } from './target';

const inner = aSchema(aProperty('s', { kind: 'string' }), aProperty('j', { kind: 'json' }));
const schema = aSchema(
  aProperty('s', { kind: 'string' }),
  aProperty('j', { kind: 'json' }),
  aProperty('o', aSchema(aProperty('o', inner))),
  aProperty('a', aSchema(aProperty('length', anInt(8)), aProperty('size', anInt(8)))),
);

const record = (members: Record<string, Value>): RecordValue => Object.assign(newRecord(), members);
const json = (text: string) => JsonText.trusted(text);

const find = (path: string, members: Record<string, Value>): unknown => {
  const target = locate(schema, path);
  if (typeof target === 'string') throw new TypeError(target);
  return lookUp(target)(record(members));
};

it.each<[path: string, members: Record<string, Value>, found: unknown]>([
  ['s', { s: 'x' }, 'x'],
  ['s', { s: null }, null],
  ['s', {}, undefined],
  ['o.o.s', { o: record({ o: record({ s: 'x' }) }) }, 'x'],
  ['o.o.s', { o: record({ o: record({ s: null }) }) }, null],
  ['o.o.s', { o: record({ o: record({}) }) }, undefined],
  ['o.o.s', { o: record({ o: null }) }, undefined],
  ['o.o.s', { o: null }, undefined],
  ['o.o.s', {}, undefined],
  ['o.o.s', { o: 'text' }, undefined],
  ['o.o.s', { o: ['text'] }, undefined],
  ['o.o.s', { o: new Map([['o', 'text']]) }, undefined],
  ['a.length', { a: 'text' }, undefined],
  ['a.length', { a: ['text'] }, undefined],
  ['a.size', { a: new Map() }, undefined],
  ['o.o.j.a', { o: record({ o: record({ j: json('{"a":"x"}') }) }) }, 'x'],
  ['j', { j: json('"x"') }, 'x'],
  ['j', { j: json('null') }, null],
  ['j', { j: null }, null],
  ['j', {}, undefined],
  ['j', { j: json('5.0') }, new JsonNumber('5.0')],
  ['j.a.b', { j: json('{"a":{"b":null}}') }, null],
  ['j.a.b', { j: json('{"a":null}') }, undefined],
  ['j.a.b', { j: json('{"a":[{"b":1}]}') }, undefined],
  ['j.a.b', { j: json('{"A":{"b":1}}') }, undefined],
  ['j.length', { j: json('"text"') }, undefined],
  ['j.length', { j: json('[]') }, undefined],
  ['j.size', { j: json('{}') }, undefined],
  ['j.a', { j: null }, undefined],
  ['j.a', {}, undefined],
  ['j.a', { j: json('{"a":') }, undefined],
  ['j.a', { j: 'text' }, undefined],
])('%s of %p finds %p', (path, members, found) => {
  expect(find(path, members)).toEqual(found);
});

it.each<[string, Value]>([
  ['text that is not JSON', json('{')],
  ['a value that is not of kind json', '{}'],
])('finds something that is neither null nor missing in %s', (_, j) => {
  expect(find('j', { j })).toBeInstanceOf(JsonNumber);
});
