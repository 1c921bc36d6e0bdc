import { compilePattern } from '@penstock/schema';
import { Fault } from '../expression/fault';
import { replaceMatches } from './replace-matches';
import { beginSearches } from './search-time';

const dash = () => '-';

beforeEach(beginSearches);

it('replaces every match', () => {
  expect(replaceMatches('xaxxb', compilePattern('x+'), dash)).toBe('-a-b');
});

it('gives up on a search that takes quadratic time', () => {
  const text = 'x'.repeat(200_000);
  expect(() => replaceMatches(text, compilePattern('x*y|x'), dash)).toThrow(Fault);
});
