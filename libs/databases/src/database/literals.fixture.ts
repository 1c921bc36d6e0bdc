import { type Type, type Value, JsonText, canonicalDecimal } from '@penstock/schema';
import fc from 'fast-check';
import { intType } from './int-type';

/** Values of a type, and how many digits and what kinds of texts a database can hold. */
export interface LiteralCase {
  readonly name: string;
  readonly type: Type;
  readonly values: fc.Arbitrary<Value>;
}

/** Texts that would end a literal, a statement or a comment. */
const HOSTILE = fc.constantFrom(
  ...[
    "'",
    "''",
    '"',
    '\\',
    '\\\\',
    "\\'",
    '`',
    '$',
    '$$',
    '${limit}',
    '--',
    '-- ',
    '#',
    '/*',
    '*/',
  ],
  ...[
    ';',
    '\n',
    '\r',
    '\t',
    '\u0001',
    '%',
    '?',
    ':',
    '$1',
    'é',
    '😀',
    '\u2028',
    'NULL',
    "' OR 1=1",
  ],
);
const text = fc.oneof(
  fc.array(HOSTILE, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((each) => each.replaceAll('\0', '')),
);

const digits = (count: number) => String(count).padStart(2, '0');
const day = fc
  .tuple(
    fc.integer({ min: 1, max: 9999 }),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
  )
  .map(([y, m, d]) => `${String(y).padStart(4, '0')}-${digits(m)}-${digits(d)}`);
const fraction = fc.oneof(
  fc.constant(''),
  fc.integer({ min: 1, max: 999 }).map((ms) => `.${String(ms).padStart(3, '0')}`),
  fc
    .integer({ min: 1, max: 999_999 })
    .filter((micros) => micros % 1_000 !== 0)
    .map((micros) => `.${String(micros).padStart(6, '0')}`),
);
const clock = fc
  .tuple(
    fc.integer({ min: 0, max: 23 }),
    fc.integer({ min: 0, max: 59 }),
    fc.integer({ min: 0, max: 59 }),
    fraction,
  )
  .map(([h, m, s, rest]) => `${digits(h)}:${digits(m)}:${digits(s)}${rest}`);

const bounds = (bitSize: 8 | 16 | 24 | 32 | 64, unsigned = false) => {
  const { minimum, maximum } = intType(bitSize, unsigned);
  return fc.oneof(fc.constantFrom(minimum, maximum, 0n), fc.bigInt({ min: minimum, max: maximum }));
};

/** @param precision of decimals, of which `scale` digits stand after the point. */
const decimal = (precision: number, scale: number): fc.Arbitrary<Value> =>
  fc
    .bigInt({ min: -(10n ** BigInt(precision)) + 1n, max: 10n ** BigInt(precision) - 1n })
    .map(
      (unscaled) =>
        canonicalDecimal(`${String(unscaled)}e-${String(scale)}`, { precision, scale }) ?? '0',
    );

const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const single = fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const json = fc.jsonValue().map((value) => JsonText.trusted(JSON.stringify(value)));

/** The scalar kinds with values of them. */
export const LITERAL_CASES: readonly LiteralCase[] = [
  { name: 'string', type: { kind: 'string' }, values: text },
  { name: 'boolean', type: { kind: 'boolean' }, values: fc.boolean() },
  { name: 'int 32', type: intType(32), values: bounds(32).map(Number) },
  { name: 'int 32 unsigned', type: intType(32, true), values: bounds(32, true).map(Number) },
  { name: 'int 64', type: intType(64), values: bounds(64) },
  { name: 'int 64 unsigned', type: intType(64, true), values: bounds(64, true) },
  { name: 'float 32', type: { kind: 'float', bitSize: 32, real: true }, values: single },
  { name: 'float 64', type: { kind: 'float', bitSize: 64, real: true }, values: finite },
  { name: 'decimal', type: { kind: 'decimal', precision: 65, scale: 30 }, values: decimal(65, 30) },
  {
    name: 'datetime',
    type: { kind: 'datetime' },
    values: fc.tuple(day, clock).map(([d, t]) => `${d}T${t}Z`),
  },
  { name: 'date', type: { kind: 'date' }, values: day },
  { name: 'time', type: { kind: 'time' }, values: clock },
  { name: 'year', type: { kind: 'year' }, values: fc.integer({ min: 1, max: 9999 }) },
  { name: 'uuid', type: { kind: 'uuid' }, values: fc.uuid() },
  {
    name: 'ip',
    type: { kind: 'ip' },
    values: fc.oneof(fc.ipV4(), fc.constantFrom('::1', '2001:db8::1', 'fe80::ff')),
  },
  { name: 'json', type: { kind: 'json' }, values: json },
];
