import { codePointLength, type Json, type Type } from '@penstock/schema';
import { expectedOperand } from './expected-operand';
import type { FilterContext } from './filter';
import { readOperand } from './read-operand';

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
