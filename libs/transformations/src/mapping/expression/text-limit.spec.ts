import { compileMapping } from '../compile-mapping';
import { TransformationError } from '../errors';
import { INPUT, outputOf, RECORD, recordOf } from '../trial.fixture';
import { Fault } from './fault';
import { limited, MAX_TEXT_BYTES } from './text-limit';

it.each<[what: string, text: string]>([
  ['of one byte each', 'x'.repeat(MAX_TEXT_BYTES)],
  ['of three', `${'年'.repeat((MAX_TEXT_BYTES - 1) / 3)}x`],
  ['of four', '😀'.repeat(MAX_TEXT_BYTES / 4)],
])('accepts 1 MiB of characters %s, and no more', (_what, text) => {
  expect(Buffer.byteLength(text)).toBe(MAX_TEXT_BYTES);
  expect(limited(text)).toBe(text);
  expect(() => limited(`${text}x`)).toThrow(Fault);
});

const apply = (expression: string, s: string): unknown => {
  const mapping = compileMapping(new Map([['y', expression]]), INPUT, outputOf({ kind: 'string' }));
  return mapping.apply(recordOf({ ...RECORD, s, i: 7 }), 'None')['y'];
};

/** Expressions whose results have as many bytes as `s`, and one more with `i` for `sn`. */
it.each<[within: string, beyond: string]>([
  ['s', 'concat(s, i)'],
  ['s sn', 's i'],
  ['concat(s, sn)', 'concat(i, s)'],
  ['lower(s)', 'lower(s i)'],
  ['replace(s, "-", "y")', 'replace(s, "-", "yy")'],
  ['regexp_replace(s, "-", "y")', 'regexp_replace(s, "-", "yy")'],
  ['regexp_replace(s, "-", "$0")', 'regexp_replace(s, "-", "$0$0")'],
])('%s, and not %s', (within, beyond) => {
  const s = `-${'x'.repeat(MAX_TEXT_BYTES - 1)}`;
  expect(apply(within, s)).toHaveLength(MAX_TEXT_BYTES);
  expect(() => apply(beyond, s)).toThrow(TransformationError);
});

it.each([
  's s s s s s s s',
  'replace(s, "x", s)',
  'regexp_replace(s, "x", "$0$0$0$0$0")',
  'regexp_replace(s, "^(.*)$", "$1$1$1$1$1")',
])('never builds the result of %s', (expression) => {
  expect(() => apply(expression, 'x'.repeat(MAX_TEXT_BYTES / 4))).toThrow(TransformationError);
});
