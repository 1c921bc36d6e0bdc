import type { ProfileSchema } from '@penstock/contracts';
import {
  canonicalIp,
  codePointLength,
  decodeValue,
  newRecord,
  parseJson,
  parseSchema,
  type RecordValue,
  type Type,
} from '@penstock/schema';
import fc from 'fast-check';
import { leafColumns } from '../profiles/value-columns';

const DECIMAL = { kind: 'decimal', precision: 30, scale: 10 };

/** A type or more of every kind that profiles may have, by the names of their properties. */
const LEAVES: Readonly<Record<string, object>> = {
  text: { kind: 'string' },
  short: { kind: 'string', maxLength: 4 },
  choice: { kind: 'string', values: ['A', 'B', ''] },
  flag: { kind: 'boolean' },
  i8: { kind: 'int', bitSize: 8 },
  i32: { kind: 'int', bitSize: 32 },
  i64: { kind: 'int', bitSize: 64 },
  u32: { kind: 'int', bitSize: 32, unsigned: true },
  u64: { kind: 'int', bitSize: 64, unsigned: true },
  f32: { kind: 'float', bitSize: 32 },
  f64: { kind: 'float', bitSize: 64 },
  dec: DECIMAL,
  moment: { kind: 'datetime' },
  day: { kind: 'date' },
  clock: { kind: 'time' },
  year: { kind: 'year' },
  uid: { kind: 'uuid' },
  ip: { kind: 'ip' },
  doc: { kind: 'json' },
  texts: { kind: 'array', elementType: { kind: 'string' } },
  shorts: { kind: 'array', elementType: { kind: 'string', maxLength: 4 } },
  flags: { kind: 'array', elementType: { kind: 'boolean' } },
  longs: { kind: 'array', elementType: { kind: 'int', bitSize: 64, unsigned: true } },
  floats: { kind: 'array', elementType: { kind: 'float', bitSize: 32 } },
  decs: { kind: 'array', elementType: DECIMAL },
  moments: { kind: 'array', elementType: { kind: 'datetime' } },
  days: { kind: 'array', elementType: { kind: 'date' } },
  clocks: { kind: 'array', elementType: { kind: 'time' } },
  years: { kind: 'array', elementType: { kind: 'year' } },
  uids: { kind: 'array', elementType: { kind: 'uuid' } },
  ips: { kind: 'array', elementType: { kind: 'ip' } },
  docs: { kind: 'array', elementType: { kind: 'json' } },
  map: { kind: 'map', elementType: { kind: 'float', bitSize: 64 } },
  // Names that mean something to the statements of lists.
  sorted_by: { kind: 'string' },
  id_0: { kind: 'int', bitSize: 32 },
  number: { kind: 'int', bitSize: 32 },
};

const property = (name: string, type: object) => ({ name, type, readOptional: true });
const objectOf = (...properties: readonly object[]) => ({ kind: 'object', properties });

/** Every kind at the top and inside objects. */
export const PROFILES: ProfileSchema = {
  version: 1,
  schema: parseSchema(
    parseJson(
      JSON.stringify(
        objectOf(
          ...Object.entries(LEAVES).map(([name, type]) => property(name, type)),
          property(
            'near',
            objectOf(
              property('Text', LEAVES['text'] ?? {}),
              property('far', objectOf(property('i64', LEAVES['i64'] ?? {}))),
            ),
          ),
        ),
      ),
    ),
  ),
};

/** The leaves of {@link PROFILES}. */
export const COLUMNS = leafColumns(PROFILES.schema);

/** Texts whose orders by code points, by UTF-16 units and by languages differ. */
const texts = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'A',
    'b',
    'ä',
    'ab',
    'aB',
    '\uffff',
    '😀',
    'e\u0301',
    '%',
    '_',
    "'",
    '\\',
  ),
  fc.string({ unit: 'grapheme', maxLength: 4 }).filter((text) => !text.includes('\0')),
);

const within = (minimum: bigint, maximum: bigint): fc.Arbitrary<string> =>
  fc
    .oneof(
      fc.bigInt(minimum, maximum),
      fc.bigInt(-3n, 3n).filter((value) => value >= minimum && value <= maximum),
      fc.constantFrom(minimum, maximum),
    )
    .map(String);

const floats = (bitSize: 32 | 64): fc.Arbitrary<string> =>
  fc
    .oneof(
      bitSize === 32 ? fc.float() : fc.double(),
      fc.constantFrom(0, 0.1, 1, -1, NaN, Infinity, -Infinity, 5e-324, 1.401298464324817e-45),
    )
    .map((value) => (bitSize === 32 ? Math.fround(value) : value))
    .map((value) => (Number.isFinite(value) ? String(value) : `"${String(value)}"`));

const fractions = fc.constantFrom(
  '',
  '.5',
  '.123',
  '.123456',
  '.123456789',
  '.000000001',
  '.999999',
);

const days = fc.oneof(
  fc.constantFrom('0001-01-01', '9999-12-31', '2024-02-29', '2024-03-01'),
  fc
    .date({ min: new Date('0001-01-02'), max: new Date('9999-12-30'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10)),
);

const clocks = fc
  .tuple(fc.constantFrom('00:00:00', '10:11:12', '23:59:59'), fractions)
  .map((parts) => parts.join(''));

const ips = fc
  .oneof(fc.ipV4(), fc.ipV6(), fc.constantFrom('::1', '::ffff:1.2.3.4', '1.2.3.4', '10.0.0.0'))
  .filter((text) => canonicalIp(text) !== undefined);

const jsons = fc.oneof(
  fc.constantFrom('null', '5', '5.0', '"5"', '[]', '{}', '""', '[5,"5"]', '1e3', '1000', 'true'),
  fc.json({ maxDepth: 1 }).filter((text) => !/\\u0000|\\ud[89a-f]/i.test(text)),
);

const quoted = (from: fc.Arbitrary<string>) => from.map((text) => JSON.stringify(text));

/** JSON texts of values of a type: near each other, so that many are equal. */
export const jsonOf = (type: Type): fc.Arbitrary<string> => {
  switch (type.kind) {
    case 'string':
      if (type.values !== undefined) return quoted(fc.constantFrom(...type.values));
      return quoted(texts.filter((text) => codePointLength(text) <= (type.maxLength ?? Infinity)));
    case 'boolean':
      return fc.constantFrom('true', 'false');
    case 'int':
      return within(type.minimum, type.maximum);
    case 'float':
      return floats(type.bitSize);
    case 'decimal':
      return fc.oneof(
        fc.constantFrom('0', '0.5', '1.50', '-1', '12345678901234567890.0123456789'),
        fc.tuple(fc.integer(), fc.nat(999)).map(([whole, part]) => `${whole}.${part}`),
      );
    case 'datetime':
      return quoted(fc.tuple(days, clocks).map(([day, clock]) => `${day}T${clock}Z`));
    case 'date':
      return quoted(days);
    case 'time':
      return quoted(clocks);
    case 'year':
      return fc.oneof(
        fc.constantFrom('1', '2024', '9999'),
        fc.integer({ min: 1, max: 9999 }).map(String),
      );
    case 'uuid':
      return quoted(fc.oneof(fc.constant('123e4567-e89b-12d3-a456-426614174000'), fc.uuid()));
    case 'ip':
      return quoted(ips);
    case 'json':
      return jsons;
    case 'array':
      return fc
        .array(jsonOf(type.elementType), { maxLength: 3 })
        .map((each) => `[${each.join(',')}]`);
    case 'map':
      return fc
        .array(jsonOf(type.elementType), { maxLength: 2 })
        .map((each) => `{${each.map((text, at) => `"k${at}":${text}`).join(',')}}`);
    case 'object':
      throw new TypeError('an object has no column of its own');
  }
};

type Cells = readonly (string | null)[];

/** A value, or none, for each of {@link COLUMNS}: what a property test draws, and can show. */
export const cells: fc.Arbitrary<Cells> = fc.tuple(
  ...COLUMNS.map(({ type }) => fc.option(jsonOf(type), { freq: 4 })),
);

/** The record of some cells, computed without the code under test. */
export const recordOfCells = (given: Cells): RecordValue => {
  const record = newRecord();
  COLUMNS.forEach(({ path, type }, at) => {
    const json = given[at] ?? null;
    if (json === null) return;
    let object = record;
    for (const name of path.slice(0, -1))
      object = (object[name] ??= newRecord()) as ReturnType<typeof newRecord>;
    object[path.at(-1) ?? ''] = decodeValue(type, parseJson(json));
  });
  return record;
};

/** A profile id by its number. */
export const profileId = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
