import { compilePattern } from '@penstock/schema';
import { compileMapping } from '../compile-mapping';
import { Fault } from '../expression/fault';
import { INPUT, outputOf, RECORD, recordOf } from '../trial.fixture';
import { replaceMatches } from './replace-matches';
import { beginReplacements } from './replacement-time';

const dash = () => '-';

it('replaces every match', () => {
  expect(replaceMatches('xaxxb', compilePattern('x+'), dash)).toBe('-a-b');
});

it('gives up on a search that takes quadratic time', () => {
  beginReplacements();
  const text = 'x'.repeat(200_000);
  expect(() => replaceMatches(text, compilePattern('x*y|x'), dash)).toThrow(Fault);
});

it('gives up on many searches of one record that take quadratic time together, and not on those of the next', () => {
  const mapping = compileMapping(
    new Map([['y', `concat(${Array(100).fill('regexp_replace(s, "x*y|x", "-")').join(', ')})`]]),
    INPUT,
    outputOf({ kind: 'string' }),
  );
  const apply = (length: number) =>
    mapping.apply(recordOf({ ...RECORD, s: 'x'.repeat(length) }), 'None')['y'];
  const startMs = performance.now();
  for (const _ of [1, 2, 3]) expect(() => apply(4_000)).toThrow('replacements take too long');
  expect(apply(5)).toBe('-'.repeat(500));
  // Each of the hundred alone takes some hundred milliseconds.
  expect(performance.now() - startMs).toBeLessThan(5_000);
});
