import type { Pattern } from '@penstock/schema';
import { Fault } from '../expression/fault';
import { limited, MAX_TEXT_BYTES } from '../expression/text-limit';
import type { Replacement } from './replacement';
import { leftForReplacement, noteReplacement } from './replacement-time';

/**
 * Replaces every match of a pattern, left to right.
 *
 * @throws Fault when the result is longer than a text may be, or the replacements of the record take too long.
 */
export const replaceMatches = (text: string, pattern: Pattern, replace: Replacement): string => {
  const startMs = performance.now();
  const deadline = startMs + leftForReplacement(text);
  let result = '';
  let done = 0;
  try {
    for (const match of pattern.findAll(text)) {
      result += text.slice(done, match.start) + replace(match);
      done = match.end;
      if (result.length > MAX_TEXT_BYTES) break;
      if (performance.now() > deadline) throw new Fault('replacements take too long', text);
    }
  } finally {
    noteReplacement(performance.now() - startMs);
  }
  return limited(result + text.slice(done));
};
