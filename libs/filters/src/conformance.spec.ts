import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  canonicalDateTime,
  canonicalDecimal,
  canonicalTime,
  Invalid,
  isJsonArray,
  isJsonObject,
  JsonNumber,
  JsonText,
  newRecord,
  parseJson,
  parseSchema,
  type Json,
  type JsonObject,
  type RecordValue,
  type Type,
  type Value,
} from '@penstock/schema';
import { compileFilter } from './compile-filter';
import type { FilterContext } from './filter';
import { filterPaths } from './filter-paths';
import { parseFilter } from './parse-filter';
import { printFilter } from './print-filter';

const FILE = join(__dirname, '../../../conformance/filter.json');

const asObject = (json: Json | undefined): JsonObject => {
  if (!isJsonObject(json)) throw new TypeError('not an object');
  return json;
};

const asArray = (json: Json | undefined): readonly Json[] => {
  if (!isJsonArray(json)) throw new TypeError('not an array');
  return json;
};

const asText = (json: Json | undefined): string => {
  if (json instanceof JsonNumber) return json.text;
  if (typeof json !== 'string') throw new TypeError('neither text nor number');
  return json;
};

const must = (text: string | undefined): string => {
  if (text === undefined) throw new TypeError('not a text of its kind');
  return text;
};

type Scalar = Exclude<Type['kind'], 'array' | 'map' | 'object'>;

const SCALARS: Readonly<Record<Scalar, (text: string, bitSize: number) => Value>> = {
  string: (text) => text,
  boolean: (text) => text === 'true',
  int: (text, bitSize) => (bitSize === 64 ? BigInt(text) : Number(text)),
  float: (text, bitSize) => (bitSize === 32 ? Math.fround(Number(text)) : Number(text)),
  decimal: (text) => must(canonicalDecimal(text)),
  datetime: (text) => must(canonicalDateTime(text)),
  date: (text) => text,
  time: (text) => must(canonicalTime(text)),
  year: Number,
  uuid: (text) => text,
  ip: (text) => text,
  json: (text) => JsonText.of(parseJson(text)),
};

/** The file's own writing of values, which is not that of the API. */
const readValue = (type: Type, json: Json): Value => {
  if (json === null || typeof json === 'boolean') return json;
  if (type.kind === 'array')
    return asArray(json).map((element) => readValue(type.elementType, element));
  if (type.kind === 'object') return readRecord(type, json);
  if (type.kind !== 'map')
    return SCALARS[type.kind](asText(json), 'bitSize' in type ? type.bitSize : 0);
  const members = [...asObject(json)];
  return new Map(members.map(([key, value]) => [key, readValue(type.elementType, value)]));
};

const readRecord = (
  type: Extract<Type, { kind: 'object' }>,
  json: Json | undefined,
): RecordValue => {
  const record = newRecord();
  const members = asObject(json);
  for (const property of type.properties) {
    const member = members.get(property.name);
    if (member !== undefined) record[property.name] = readValue(property.type, member);
  }
  return record;
};

const file = asObject(parseJson(readFileSync(FILE, 'utf8')));
const schema = parseSchema(file.get('schema') ?? null);

const casesOf = (list: string): [title: string, members: JsonObject][] =>
  asArray(file.get(list)).map((json, index) => {
    const members = asObject(json);
    const property = members.get('property');
    const operator = members.get('operator');
    const words = property === undefined ? '' : `: ${asText(property)} ${asText(operator)}`;
    return [`${index}${words}`, members];
  });

const filterOf = (members: JsonObject): Json => {
  const whole = members.get('filter');
  if (whole !== undefined) return whole;
  const value = members.get('value');
  const condition = new Map<string, Json>();
  for (const name of ['property', 'operator', 'values']) {
    const member = members.get(name);
    if (member !== undefined) condition.set(name, member);
  }
  if (value !== undefined) condition.set('values', [value]);
  return new Map<string, Json>([
    ['logical', 'and'],
    ['conditions', [condition]],
  ]);
};

const parse = (members: JsonObject, context: FilterContext = 'SourceUser') =>
  parseFilter(filterOf(members), schema, context);

const isAccepted = (members: JsonObject, context: FilterContext): boolean => {
  try {
    parse(members, context);
    return true;
  } catch (error) {
    if (error instanceof Invalid) return false;
    throw error;
  }
};

const CONTEXTS = [
  ['source_user', 'SourceUser'],
  ['destination_user', 'DestinationUser'],
  ['source_event', 'SourceEvent'],
  ['destination_event', 'DestinationEvent'],
] as const;

it.each(casesOf('matrix'))('matrix %s', (_, members) => {
  const accepted = CONTEXTS.map(([name, context]) => [name, isAccepted(members, context)] as const);
  expect(new Map(accepted)).toEqual(members.get('accepted'));
});

it.each(casesOf('structure'))('structure %s', (_, members) => {
  expect(isAccepted(members, 'SourceUser')).toBe(members.get('valid'));
  if (members.get('valid') === true)
    expect(filterPaths(parse(members))).toEqual(members.get('paths'));
});

it.each(casesOf('values'))('values %s', (_, members) => {
  expect(isAccepted(members, 'SourceUser')).toBe(members.get('valid'));
  if (members.get('valid') === true)
    expect(parse(members).conditions[0]?.values).toEqual(members.get('readBack'));
});

const evaluation = [...casesOf('evaluation'), ...casesOf('logical')];

it.each(evaluation)('evaluation %s', (_, members) => {
  const record = readRecord(schema, members.get('attributes'));
  const filter = parse(members);
  const stored = parseFilter(parseJson(printFilter(filter)), schema, 'SourceUser');
  expect(compileFilter(filter, schema).matches(record)).toBe(members.get('result'));
  expect(compileFilter(stored, schema).matches(record)).toBe(members.get('result'));
});
