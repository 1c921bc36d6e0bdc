import type { Pattern } from '@penstock/schema';
import { limited, MAX_TEXT_BYTES } from '../expression/text-limit';
import type { Replacement } from './replacement';
import { withinSearchTime } from './search-time';

/**
 * Replaces every match of a pattern, left to right.
 *
 * @throws Fault when the result is longer than a text may be, or the searches of the record take too long.
 */
export const replaceMatches = (text: string, pattern: Pattern, replace: Replacement): string =>
  withinSearchTime(text, (check) => {
    let result = '';
    let done = 0;
    for (const match of pattern.findAll(text)) {
      result += text.slice(done, match.start) + replace(match);
      done = match.end;
      if (result.length > MAX_TEXT_BYTES) break;
      check();
    }
    return limited(result + text.slice(done));
  });
