import { encodeValue, floatText, textOf, type Type, type Value } from '@penstock/schema';
import type { PlacedRow } from '../merging/merge-batch';
import type { MergedColumn } from '../merging/merged-columns';
import { AROUND, parseTypeName } from './type-name';

/** Days and times that the types of a column have; the server takes others for something else, without a word. */
const RANGES: Readonly<Record<string, readonly [from: string, to: string]>> = {
  Date: ['1970-01-01', '2149-06-06'],
  Date32: ['1900-01-01', '2299-12-31'],
  DateTime: ['1970-01-01T00:00:00Z', '2106-02-07T06:28:15Z'],
  DateTime64: ['1900-01-01T00:00:00Z', '2299-12-31T23:59:59Z'],
};

/** The name of a type, without what may stand around it. */
const innerNameOf = (text: string): string => {
  const { name, parameters } = parseTypeName(text);
  return AROUND.has(name) ? innerNameOf(parameters.at(-1) ?? '') : name;
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

/** What a value has against the type of its column; undefined: nothing. */
export const outOfRange = (serverType: string, value: Value): string | undefined => {
  const range = RANGES[innerNameOf(serverType)];
  if (range === undefined || typeof value !== 'string') return undefined;
  const [from, to] = range.map(toSeconds);
  const moment = toSeconds(value);
  // Times of one form are ordered as texts.
  return from !== undefined && to !== undefined && from <= moment && moment <= to
    ? undefined
    : `must be a time from ${range.join(' to ')}`;
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
