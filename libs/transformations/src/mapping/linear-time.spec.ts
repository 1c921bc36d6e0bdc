import type { Value } from '@penstock/schema';
import { compileMapping } from './compile-mapping';
import { OutputValidationError } from './errors';
import { INPUT, outputOf, RECORD, recordOf } from './trial.fixture';

const LENGTH = 1_000_000;

/** Of the processor, of which other processes take none. Quadratic behaviour would take minutes. */
const MAX_MS = 20_000;

const evaluate = (expression: string, s: string, type: object): Value | undefined => {
  const mapping = compileMapping(new Map([['y', expression]]), INPUT, outputOf(type));
  try {
    return mapping.apply(recordOf({ ...RECORD, s }), 'None')['y'];
  } catch (error) {
    if (error instanceof OutputValidationError) return undefined;
    throw error;
  }
};

const TEXT = { kind: 'string' };
const DECIMAL = { kind: 'decimal', precision: 76, scale: 37 };

it.each<[expression: string, s: string, type?: object]>([
  ['trim(s)', `x${' '.repeat(LENGTH)}x`],
  ['initcap(s)', ' x'.repeat(LENGTH / 2)],
  ['substring(s, 999990, 5)', 'é'.repeat(LENGTH / 2) + '😀'.repeat(LENGTH / 8)],
  ['replace(s, "xx", "y")', 'x'.repeat(LENGTH)],
  ['len(split(s, "x"))', 'x'.repeat(LENGTH)],
  ['regexp_match(s, "(x+x+)+y")', 'x'.repeat(LENGTH)],
  ['eq(s, "1")', `${'0'.repeat(LENGTH)}x`],
  ['eq(i, s)', `1${'0'.repeat(LENGTH)}`],
  ['round(s)', `0.${'9'.repeat(LENGTH)}`],
  ['s', `${'0'.repeat(LENGTH)}x`, { kind: 'int', bitSize: 32 }],
  ['s', `${'0'.repeat(LENGTH)}7`, { kind: 'int', bitSize: 64 }],
  ['s', `1.${'0'.repeat(LENGTH)}x`, DECIMAL],
  ['s', `0.${'0'.repeat(LENGTH)}1`, DECIMAL],
  ['s', `0.${'3'.repeat(LENGTH)}`, { kind: 'float', bitSize: 32 }],
  ['s', `2024-01-01T00:00:00.${'0'.repeat(LENGTH)}x`, { kind: 'datetime' }],
  ['s', ':'.repeat(LENGTH), { kind: 'ip' }],
])('%s', (expression, s, type = TEXT) => {
  const before = process.cpuUsage();
  evaluate(expression, s, type);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(MAX_MS);
});
