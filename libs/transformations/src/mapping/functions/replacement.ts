import type { Pattern, PatternMatch } from '@penstock/schema';
import { MAX_TEXT_BYTES } from '../expression/text-limit';

/** Returns the replacement of a match; truncated when it exceeds the limit of a text anyway. */
export type Replacement = (match: PatternMatch) => string;

const DOLLAR = '$';

/** A dollar with its group or escape; a single dollar, which is an error; plain text. */
const PIECE = /\$(?:(\$)|([0-9])|\{([^}]*)\})|\$|[^$]+/gy;

const numberOf = (group: string, { groupCount, groupNames }: Pattern): number | undefined => {
  if (!/^[0-9]+$/.test(group)) return groupNames.get(group);
  return Number(group) <= groupCount ? Number(group) : undefined;
};

const pieceOf = (found: RegExpExecArray, pattern: Pattern): Replacement | string => {
  const [text, dollar, digit, braced] = found;
  if (dollar) return () => DOLLAR;
  const group = digit ?? braced;
  if (group === undefined) return text === DOLLAR ? 'write "$$" for a dollar' : () => text;
  const number = numberOf(group, pattern);
  if (number === undefined) return `the pattern has no group "${group}"`;
  return ({ groups }) => groups[number] ?? '';
};

/** Compiles a replacement text; a string describes what is wrong with it. */
export const replacement = (text: string, pattern: Pattern): Replacement | string => {
  const pieces: Replacement[] = [];
  for (const found of text.matchAll(PIECE)) {
    const piece = pieceOf(found, pattern);
    if (typeof piece === 'string') return piece;
    pieces.push(piece);
  }
  return (match) => {
    let result = '';
    for (const piece of pieces) {
      result += piece(match);
      if (result.length > MAX_TEXT_BYTES) break;
    }
    return result;
  };
};
