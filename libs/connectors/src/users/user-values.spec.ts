import {
  compileCodec,
  isJsonObject,
  type JsonObject,
  parseJson,
  parseSchema,
} from '@penstock/schema';
import { userValues } from './user-values';

const valuesOf = (type: object, text: string, flags: object = { nullable: true }) => {
  const property = { name: 'p', type, readOptional: true, ...flags };
  const schema = parseSchema(parseJson(JSON.stringify({ kind: 'object', properties: [property] })));
  const json = parseJson(text);
  const user: JsonObject = isJsonObject(json) ? json : new Map();
  const { values, fault } = userValues(schema, (name) => user.get(name));
  return fault ?? compileCodec(schema).encode(values);
};

const TEXT = { kind: 'string' };
const NUMBER = { kind: 'float', bitSize: 64, real: true };
const INT = { kind: 'int', bitSize: 32 };
const nested = (type: object): object => ({
  kind: 'object',
  properties: [{ name: 'n', type, nullable: true, readOptional: true }],
});

it.each<[title: string, type: object, user: string, expected: string]>([
  ['a text', TEXT, '{"p":"a"}', '{"p":"a"}'],
  ['a number as a text', TEXT, '{"p":1.50}', '{"p":"1.50"}'],
  ['nothing', TEXT, '{}', '{}'],
  ['null', TEXT, '{"p":null}', '{"p":null}'],
  ['no text', TEXT, '{"p":""}', '{"p":null}'],
  ['a number', NUMBER, '{"p":1.5}', '{"p":1.5}'],
  ['a number in a text', NUMBER, '{"p":"1.5"}', '{"p":1.5}'],
  ['an integer in a text', INT, '{"p":"15"}', '{"p":15}'],
  ['no number', NUMBER, '{"p":""}', '{"p":null}'],
  [
    'a time with an offset',
    { kind: 'datetime' },
    '{"p":"2026-03-01T01:00:00+01:00"}',
    '{"p":"2026-03-01T00:00:00Z"}',
  ],
  ['a day', { kind: 'date' }, '{"p":"2026-03-01"}', '{"p":"2026-03-01"}'],
  ['a day with a time', { kind: 'date' }, '{"p":"2026-03-01T00:00:00.000Z"}', '{"p":"2026-03-01"}'],
  ['an American day', { kind: 'date' }, '{"p":"03/01/2026"}', '{"p":"2026-03-01"}'],
  ['what the type names of an object', nested(TEXT), '{"p":{"m":"b","n":"a"}}', '{"p":{"n":"a"}}'],
  ['no text in an object', nested(TEXT), '{"p":{"n":""}}', '{"p":{"n":null}}'],
  ['a number in an object', nested(NUMBER), '{"p":{"n":"2"}}', '{"p":{"n":2}}'],
  ['a list', { kind: 'array', elementType: TEXT }, '{"p":["a",1]}', '{"p":["a","1"]}'],
  ['JSON as it is', { kind: 'json' }, '{"p":""}', '{"p":""}'],
])('reads %s', (_, type, user, expected) => {
  expect(valuesOf(type, user)).toBe(expected);
});

it('counts a null as missing where none may be', () => {
  expect(valuesOf(TEXT, '{"p":""}', {})).toBe('{}');
});

it.each<[type: object, user: string, path: string]>([
  [NUMBER, '{"p":"secret"}', '/p: '],
  [INT, '{"p":1.5}', '/p: '],
  [{ kind: 'date' }, '{"p":"secret"}', '/p: '],
  [{ kind: 'date' }, '{"p":"13/32/2026"}', '/p: '],
  [{ kind: 'boolean' }, '{"p":"secret"}', '/p: '],
  [nested(NUMBER), '{"p":{"n":"secret"}}', '/p/n: '],
  [nested(NUMBER), '{"p":"secret"}', '/p: '],
  [TEXT, '{"p":{"secret":1}}', '/p: '],
  [{ kind: 'map', elementType: { kind: 'boolean' } }, '{"p":{"secret":1}}', '/p/…: '],
])('of the type %j, %s has a fault that repeats no value', (type, user, path) => {
  const fault = valuesOf(type, user);
  expect(fault.startsWith(path)).toBe(true);
  expect(fault).not.toContain('secret');
});
