import {
  canonicalDecimal,
  checkValue,
  JsonText,
  newRecord,
  type Property,
  type Type,
  type Value,
} from '@penstock/schema';
import fc from 'fast-check';
import { typeOf } from './trial.fixture';

const INT32 = { kind: 'int', bitSize: 32 };
const TEXT = { kind: 'string' };
const JSON_NOTATION = { kind: 'json' };
const member = (name: string, type: object, flags: object = {}): object => ({
  name,
  type,
  ...flags,
});

/** Types of every kind, with and without constraints, and nested ones. */
export const TYPES: readonly Type[] = [
  TEXT,
  { kind: 'string', maxLength: 3 },
  { kind: 'string', values: ['true', '5', ''] },
  { kind: 'string', pattern: '^[a-z0-9]+$' },
  { kind: 'boolean' },
  { kind: 'int', bitSize: 8 },
  { kind: 'int', bitSize: 16, unsigned: true },
  { kind: 'int', bitSize: 32, minimum: -5, maximum: 10 },
  { kind: 'int', bitSize: 64 },
  { kind: 'float', bitSize: 32 },
  { kind: 'float', bitSize: 64 },
  { kind: 'float', bitSize: 64, real: true, maximum: 10 },
  { kind: 'decimal', precision: 5, scale: 2 },
  { kind: 'decimal', precision: 76, scale: 37 },
  { kind: 'datetime' },
  { kind: 'date' },
  { kind: 'time' },
  { kind: 'year' },
  { kind: 'uuid' },
  { kind: 'ip' },
  JSON_NOTATION,
  { kind: 'array', elementType: TEXT, maxElements: 2 },
  { kind: 'array', elementType: INT32, uniqueElements: true },
  { kind: 'array', elementType: JSON_NOTATION },
  { kind: 'map', elementType: INT32 },
  { kind: 'map', elementType: JSON_NOTATION },
  { kind: 'object', properties: [member('a', TEXT), member('b', INT32, { nullable: true })] },
  {
    kind: 'object',
    properties: [
      member('a', JSON_NOTATION, { createRequired: true }),
      member('c', { kind: 'map', elementType: TEXT }),
    ],
  },
].map(typeOf);

const KEYS = fc.constantFrom('a', 'b', 'c', 'k', '__proto__');

/** Texts that convert to one kind or another. */
const texts = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 5 }).filter((text) => !text.includes('\0')),
  fc.constantFrom(
    '',
    'true',
    'No',
    '5',
    '-0.50',
    '1e400',
    'NaN',
    '2024-02-29',
    '10:11:12.5',
    '::1',
  ),
  fc.uuid(),
);

const jsonTexts = fc
  .json({ maxDepth: 3, stringUnit: 'grapheme' })
  .filter((text) => !text.includes('u0000'));

const twoDigits = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((number) => String(number).padStart(2, '0'));
const dates = fc
  .tuple(fc.integer({ min: 1, max: 9999 }), twoDigits(1, 12), twoDigits(1, 28))
  .map(([year, month, day]) => `${String(year).padStart(4, '0')}-${month}-${day}`);
const times = fc
  .tuple(
    twoDigits(0, 23),
    twoDigits(0, 59),
    twoDigits(0, 59),
    fc.constantFrom('', '.001', '.000001'),
  )
  .map(([hour, minute, second, fraction]) => `${hour}:${minute}:${second}${fraction}`);

const ofKind = (type: Type): fc.Arbitrary<Value> => {
  switch (type.kind) {
    case 'string':
      return texts;
    case 'boolean':
      return fc.boolean();
    case 'int':
      return type.bitSize === 64
        ? fc.bigInt({ min: type.minimum, max: type.maximum })
        : fc.integer({ min: Number(type.minimum), max: Number(type.maximum) });
    case 'float':
      return fc.double().map((value) => (type.bitSize === 32 ? Math.fround(value) : value) + 0);
    case 'decimal':
      return fc
        .tuple(fc.integer(), fc.constantFrom(0, 2, 30))
        .map(([digits, scale]) => canonicalDecimal(`${digits}e-${scale}`, type) ?? '0');
    case 'datetime':
      return fc.tuple(dates, times).map(([date, time]) => `${date}T${time}Z`);
    case 'date':
      return dates;
    case 'time':
      return times;
    case 'year':
      return fc.integer({ min: 1, max: 9999 });
    case 'uuid':
      return fc.uuid();
    case 'ip':
      return fc.ipV4();
    case 'json':
      return jsonTexts.map((text) => JsonText.trusted(text));
    case 'array':
      return fc.array(ofKind(type.elementType), { maxLength: 3 });
    case 'map':
      return fc
        .array(fc.tuple(KEYS, ofKind(type.elementType)), { maxLength: 3 })
        .map((entries) => new Map(entries));
    case 'object':
      return ofProperties(type.properties);
  }
};

/** Generates a record that may lack any property; nullable ones may be null. */
export const ofProperties = (properties: readonly Property[]): fc.Arbitrary<Value> => {
  const members = properties.map(({ type, nullable }) => {
    const present = ofKind(type).filter((value) => checkValue(type, value) === undefined);
    return fc.option(fc.option(present, { nil: nullable ? null : undefined }), { nil: undefined });
  });
  return fc.tuple(...members).map((values) => {
    const record = newRecord();
    for (const [index, { name }] of properties.entries()) {
      const value = values[index];
      if (value !== undefined) record[name] = value;
    }
    return record;
  });
};

/** Generates values of a type that meet its constraints. */
export const valueOf = (type: Type): fc.Arbitrary<NonNullable<Value>> =>
  ofKind(type).filter(
    (value): value is NonNullable<Value> => value !== null && checkValue(type, value) === undefined,
  );
