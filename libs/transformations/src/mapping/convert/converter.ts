import type { JsonText, Kind, Type } from '@penstock/schema';
import { JSON_VALUE } from '../types/plain-types';
import type { Cell, Convert, ConvertJson, Converted, Inner } from './cell';
import { constraintOf } from './constraint';
import { CONVERSIONS } from './conversions';

type Given = Parameters<Convert>[0] | Parameters<ConvertJson>[0];
type ConvertAny = (given: Given) => Converted;

/** The table's cell for two types; what it converts is of the source's kind, JSON parsed. */
const cellOf = (from: Type, to: Type): ConvertAny | undefined => {
  const cell = CONVERSIONS[to.kind][from.kind] as unknown as Cell<Kind, Kind>;
  return cell(from, to, INNER);
};

/** An empty string that the destination's values or pattern do not admit counts as null. */
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

/** An empty string means null wherever text cannot be kept as it is. */
const emptyAsNull =
  (convert: ConvertAny): ConvertAny =>
  (given) =>
    given === '' ? null : convert(given);

const fromText = (convert: ConvertJson): ConvertAny => {
  return (given) => convert((given as JsonText).value);
};

const KEEPS_TEXT: ReadonlySet<Kind> = new Set(['string', 'json']);

/**
 * How a value of one type becomes one of another that meets every constraint; undefined when the kinds, or
 * the types inside, do not convert. Null is the caller's to see to.
 */
export const converter = (from: Type, to: Type): Convert | undefined => {
  if (from.kind === 'json') return to.kind === 'json' ? same : fromText(jsonConverter(to));
  const convert = cellOf(from, to);
  if (!convert) return undefined;
  const complete = constrained(convert, to);
  return from.kind === 'string' && !KEEPS_TEXT.has(to.kind) ? emptyAsNull(complete) : complete;
};

/** How parsed JSON becomes a value of a type, which every type allows for. */
export const jsonConverter = (to: Type): ConvertJson => {
  const cell = cellOf(JSON_VALUE, to);
  const convert = constrained(cell ?? nothing, to);
  return to.kind === 'json' ? convert : (json) => (json === null ? null : convert(json));
};

const same: Convert = (value) => value;
const nothing: ConvertAny = () => undefined;

const INNER: Inner = { converter, jsonConverter };
