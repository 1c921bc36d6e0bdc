import type { Pattern } from '@penstock/schema';
import { Fault } from '../expression/fault';
import { limited, MAX_TEXT_BYTES } from '../expression/text-limit';
import type { Replacement } from './replacement';

/**
 * Time limit for one text. Finding one match takes linear time, finding all of them may take quadratic time (`x*y|x` in
 * a row of `x`, 10 s for 20,000 of them); one million ordinary matches take 2 s.
 */
const MAX_MS = 5_000;

/**
 * Replaces every match of a pattern, left to right.
 *
 * @throws Fault when the result is longer than a text may be, or takes longer than `maxMs`.
 */
export const replaceMatches = (
  text: string,
  pattern: Pattern,
  replace: Replacement,
  maxMs = MAX_MS,
): string => {
  const deadline = performance.now() + maxMs;
  let result = '';
  let done = 0;
  for (const match of pattern.findAll(text)) {
    result += text.slice(done, match.start) + replace(match);
    done = match.end;
    if (result.length > MAX_TEXT_BYTES) break;
    if (performance.now() > deadline) throw new Fault('the replacement takes too long', text);
  }
  return limited(result + text.slice(done));
};
