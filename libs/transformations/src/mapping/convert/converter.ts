import type { JsonText, Kind, Type } from '@penstock/schema';
import { JSON_VALUE } from '../types/plain-types';
import type { Cell, Convert, ConvertJson, Converted, Inner } from './cell';
import { constraintOf } from './constraint';
import { CONVERSIONS } from './conversions';

type Given = Parameters<Convert>[0] | Parameters<ConvertJson>[0];
type ConvertAny = (given: Given) => Converted;

/** Returns the table's cell for two types; its input is of the source's kind, with JSON parsed. */
const cellOf = (from: Type, to: Type): ConvertAny | undefined => {
  const cell = CONVERSIONS[to.kind][from.kind] as unknown as Cell<Kind, Kind>;
  return cell(from, to, INNER);
};

/** Adds the check of constraints. An empty string that violates them counts as null. */
const constrained = (convert: ConvertAny, to: Type): ConvertAny => {
  const meets = constraintOf(to);
  if (!meets) return convert;
  const isEmptyNull = to.kind === 'string' && !meets('');
  return (given) => {
    const value = convert(given);
    if (value === null || value === undefined) return value;
    if (isEmptyNull && value === '') return null;
    return meets(value) ? value : undefined;
  };
};

/** Converts an empty string to null, for destinations that are not text. */
const emptyAsNull =
  (convert: ConvertAny): ConvertAny =>
  (given) =>
    given === '' ? null : convert(given);

const fromText = (convert: ConvertJson): ConvertAny => {
  return (given) => convert((given as JsonText).value);
};

const KEEPS_TEXT: ReadonlySet<Kind> = new Set(['string', 'json']);

/**
 * Returns the conversion from one type to another, including the check of constraints; undefined when the kinds, or the
 * types inside, do not convert. Callers must handle null.
 */
export const converter = (from: Type, to: Type): Convert | undefined => {
  if (from.kind === 'json') return to.kind === 'json' ? same : fromText(jsonConverter(to));
  const convert = cellOf(from, to);
  if (!convert) return undefined;
  const complete = constrained(convert, to);
  return from.kind === 'string' && !KEEPS_TEXT.has(to.kind) ? emptyAsNull(complete) : complete;
};

/** Returns the conversion of parsed JSON to a type; JSON converts to every type. */
export const jsonConverter = (to: Type): ConvertJson => {
  const cell = cellOf(JSON_VALUE, to);
  const convert = constrained(cell ?? nothing, to);
  return to.kind === 'json' ? convert : (json) => (json === null ? null : convert(json));
};

const same: Convert = (value) => value;
const nothing: ConvertAny = () => undefined;

const INNER: Inner = { converter, jsonConverter };
