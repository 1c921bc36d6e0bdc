import { compilePattern } from '@penstock/schema';
import { Fault } from '../expression/fault';
import { replaceMatches } from './replace-matches';

const dash = () => '-';

it('replaces every match', () => {
  expect(replaceMatches('xaxxb', compilePattern('x+'), dash)).toBe('-a-b');
});

it('gives up on a search that takes quadratic time', () => {
  const text = 'x'.repeat(200_000);
  expect(() => replaceMatches(text, compilePattern('x*y|x'), dash, 50)).toThrow(Fault);
});
