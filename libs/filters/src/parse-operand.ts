import { codePointLength, type Json, type Type } from '@penstock/schema';
import type { FilterContext } from './filter';
import { readOperand } from './read-operand';

const EXPECTED: Readonly<Partial<Record<Type['kind'], string>>> = {
  float: 'a finite number, like 1.5',
  decimal: 'a number of at most 76 digits before the point and 37 after it, like 1.5',
  datetime: 'an ISO 8601 date and time, like 2024-02-29T10:11:12Z',
  date: 'a date, like 2024-02-29',
  time: 'a time of day, like 10:11:12',
  year: 'a year from 1 to 9999',
  uuid: 'a UUID, like 550e8400-e29b-41d4-a716-446655440000',
  ip: 'an IPv4 or IPv6 address',
};

/** What an operand of the type must be, for an error message. */
const expectedOperand = (type: Type): string => {
  if (type.kind === 'int')
    return `${type.unsigned ? 'an integer without a sign' : 'an integer'} of at most 64 bits`;
  if (type.kind === 'string' && type.values !== undefined)
    return `one of ${type.values.map((value) => JSON.stringify(value)).join(', ')}`;
  return EXPECTED[type.kind] ?? 'a text';
};

/** Code points; the limit that the API states for operands. */
const MAX_CHARACTERS = 1000;

/** The strings of events are normalised at intake; those inside JSON stay as they are. */
const isNormalised = (type: Type, context: FilterContext): boolean =>
  type.kind === 'string' && (context === 'SourceEvent' || context === 'DestinationEvent');

const lengthProblem = (text: string): string | undefined => {
  if (text.includes('\0')) return 'must not hold a NUL character';
  const length = codePointLength(text);
  if (length >= 1 && length <= MAX_CHARACTERS) return undefined;
  return `must have 1 to ${MAX_CHARACTERS} characters, has ${length}`;
};

/**
 * Reads one operand.
 *
 * @param type what the operand is read as; undefined when that is not known, because the path or the operator
 *   is wrong: then it need only be a string.
 * @returns the operand as it is stored, or what is wrong with it.
 */
export const parseOperand = (
  json: Json,
  type: Type | undefined,
  context: FilterContext,
): { readonly text: string } | { readonly problem: string } => {
  if (typeof json !== 'string') return { problem: 'must be a string' };
  if (type === undefined) return { text: json };
  const given = isNormalised(type, context) ? json.normalize('NFC') : json;
  const isOneOfValues = type.kind === 'string' && type.values !== undefined;
  const problem = isOneOfValues ? undefined : lengthProblem(given);
  if (problem !== undefined) return { problem };
  const text = readOperand(type, given);
  return text === undefined ? { problem: `must be ${expectedOperand(type)}` } : { text };
};
