import { encodeValue, floatText, textOf, type Type, type Value } from '@penstock/schema';
import type { PlacedRow } from '../merging/merge-batch';
import type { MergedColumn } from '../merging/merged-columns';
import { AROUND, parseTypeName } from './type-name';

type Range = readonly [from: string, to: string];

/** Days and times that the types of a column have; the server takes others for something else, without a word. */
const RANGES: ReadonlyMap<string, Range> = new Map([
  ['Date', ['1970-01-01', '2149-06-06']],
  ['Date32', ['1900-01-01', '2299-12-31']],
  ['DateTime', ['1970-01-01T00:00:00Z', '2106-02-07T06:28:15Z']],
  ['DateTime64', ['1900-01-01T00:00:00Z', '2299-12-31T23:59:59Z']],
]);

/** Of a type with nine digits. Source: ClickHouse, `DateTime64`: the nanoseconds since 1970 have 64 bits. */
const RANGE_OF_NANOSECONDS: Range = ['1900-01-01T00:00:00Z', '2262-04-11T23:47:15Z'];

/** Types that hold values of the type that is their last parameter. */
const HOLDING: ReadonlySet<string> = new Set(['Array', 'Map']);

/** The times that a column may have, or hold in an array or a map; undefined: it has none, or any. */
const rangeOf = (type: string): Range | undefined => {
  const { name, parameters } = parseTypeName(type);
  if (AROUND.has(name) || HOLDING.has(name)) return rangeOf(parameters.at(-1) ?? '');
  return name === 'DateTime64' && parameters[0] === '9' ? RANGE_OF_NANOSECONDS : RANGES.get(name);
};

const floatOf = (value: number, bitSize: 32 | 64): string =>
  Number.isFinite(value)
    ? floatText(value, bitSize)
    : String(value).toLowerCase().replace('infinity', 'inf');

const scalar = (type: Type, value: Value): string => {
  switch (type.kind) {
    case 'float':
      return floatOf(value as number, type.bitSize);
    case 'int':
    case 'decimal':
    case 'year':
      return textOf(type, value);
    case 'array':
      return `[${(value as readonly Value[]).map((each) => scalar(type.elementType, each)).join(',')}]`;
    case 'map':
      return `{${Array.from(value as ReadonlyMap<string, Value>, ([name, each]) => `${JSON.stringify(name)}:${scalar(type.elementType, each)}`).join(',')}}`;
    default:
      return encodeValue(type, value);
  }
};

/** A day, or a moment without its fraction. */
const toSeconds = (text: string): string => text.slice(0, 'YYYY-MM-DDThh:mm:ss'.length);

/** Times of one form are ordered as texts. */
const isWithin = (value: Value, [from, to]: Range): boolean => {
  if (typeof value === 'string') {
    const moment = toSeconds(value);
    return toSeconds(from) <= moment && moment <= toSeconds(to);
  }
  if (value instanceof Map)
    return isWithin([...(value as ReadonlyMap<string, Value>).values()], [from, to]);
  return !Array.isArray(value) || value.every((each: Value) => isWithin(each, [from, to]));
};

/** What a value has against the type of its column; undefined: nothing. */
export const outOfRange = (serverType: string, value: Value): string | undefined => {
  const range = rangeOf(serverType);
  if (range === undefined || isWithin(value, range)) return undefined;
  const must = typeof value === 'string' ? 'be a time' : 'hold only times';
  return `must ${must} from ${range.join(' to ')}`;
};

/** A row as the server reads it: an object of JSON on a line, without the columns that the row does not have. */
export const lineOf = (columns: readonly MergedColumn[], { values }: PlacedRow): string => {
  const members = columns.flatMap(({ property, name, type }) => {
    const value = values[property];
    if (value === undefined) return [];
    return [`${JSON.stringify(name)}:${value === null ? 'null' : scalar(type, value)}`];
  });
  return `{${members.join(',')}}\n`;
};
