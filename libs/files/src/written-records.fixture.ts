import fc from 'fast-check';
import {
  decodeValue,
  JsonText,
  newRecord,
  parseJson,
  parseSchema,
  type Property,
  type RecordValue,
  type Schema,
  type Type,
  type Value,
} from '@penstock/schema';

const kind = (name: string): object => ({ kind: name });
const SCALARS: readonly (readonly [name: string, type: object])[] = [
  ['text', kind('string')],
  ['flag', kind('boolean')],
  ['i8', { kind: 'int', bitSize: 8 }],
  ['u16', { kind: 'int', bitSize: 16, unsigned: true }],
  ['i24', { kind: 'int', bitSize: 24 }],
  ['i32', { kind: 'int', bitSize: 32 }],
  ['u32', { kind: 'int', bitSize: 32, unsigned: true }],
  ['i64', { kind: 'int', bitSize: 64 }],
  ['u64', { kind: 'int', bitSize: 64, unsigned: true }],
  ['f32', { kind: 'float', bitSize: 32 }],
  ['f64', { kind: 'float', bitSize: 64 }],
  ['d9', { kind: 'decimal', precision: 9, scale: 2 }],
  ['d18', { kind: 'decimal', precision: 18, scale: 18 }],
  ['d76', { kind: 'decimal', precision: 76, scale: 37 }],
  ['at', kind('datetime')],
  ['day', kind('date')],
  ['clock', kind('time')],
  ['year', kind('year')],
  ['id', kind('uuid')],
  ['host', kind('ip')],
  ['any', kind('json')],
];
const property = (name: string, type: object): object => ({
  name,
  type,
  readOptional: true,
  nullable: true,
});
const array = (elementType: object): object => ({ kind: 'array', elementType });
const map = (elementType: object): object => ({ kind: 'map', elementType });
const inner = {
  kind: 'object',
  properties: [property('a', kind('string')), property('b', array(kind('date')))],
};

/** Every kind, alone and within others. */
export const EVERY_KIND: Schema = parseSchema(
  parseJson(
    JSON.stringify({
      kind: 'object',
      properties: [
        ...SCALARS.map(([name, type]) => property(name, type)),
        property('texts', array(kind('string'))),
        property('lists', array(array({ kind: 'decimal', precision: 20, scale: 3 }))),
        property('dates', map(kind('datetime'))),
        property('bags', map(array(kind('json')))),
        property('inner', inner),
        property('inners', array(inner)),
      ],
    }),
  ),
);

const letters = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.constantFrom(
    '',
    '"',
    ',',
    ' a ',
    'a\nb',
    '\\.',
    '\t',
    '=1+1',
    '_x0041_',
    '&<>',
    "'",
    '\u0001',
    ';',
  ),
);
const text = letters.map((given) => given.replace(/[\0\p{Cs}]/gu, ''));

const decimalText = (precision: number, scale: number): fc.Arbitrary<string> =>
  fc
    .tuple(fc.boolean(), fc.bigInt(0n, 10n ** BigInt(precision) - 1n), fc.boolean())
    .map(([isNegative, units, isWhole]) => {
      const given = isWhole ? units - (units % 10n ** BigInt(scale)) : units;
      const digits = String(given).padStart(scale + 1, '0');
      const whole = digits.slice(0, digits.length - scale);
      return `${isNegative ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`;
    });

const two = (value: number): string => String(value).padStart(2, '0');
const fraction = fc
  .tuple(fc.constantFrom(0, 3, 6), fc.nat(999_999))
  .map(([digits, value]) =>
    digits === 0 ? '' : `.${String(value).padStart(6, '0').slice(0, digits)}`,
  );
const date = fc
  .integer({ min: -719_162, max: 2_932_896 })
  .map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10));
const time = fc
  .tuple(fc.nat(23), fc.nat(59), fc.nat(59), fraction)
  .map(([h, m, s, f]) => `${two(h)}:${two(m)}:${two(s)}${f}`);

/** JSON that a value may be decoded from. */
const jsonOf = (type: Type): fc.Arbitrary<string> => {
  switch (type.kind) {
    case 'string':
      return text.map((given) => JSON.stringify(given));
    case 'boolean':
      return fc.constantFrom('true', 'false');
    case 'int':
      return fc.bigInt(type.minimum, type.maximum).map(String);
    case 'float':
      return fc.oneof(
        fc.constantFrom('"NaN"', '"Infinity"', '"-Infinity"', '0'),
        (type.bitSize === 32 ? fc.float : fc.double)({ noNaN: true, noDefaultInfinity: true }).map(
          (value) => JSON.stringify(value),
        ),
      );
    case 'decimal':
      return decimalText(type.precision, type.scale);
    case 'datetime':
      return fc.tuple(date, time).map(([day, clock]) => `"${day}T${clock}Z"`);
    case 'date':
      return date.map((day) => `"${day}"`);
    case 'time':
      return time.map((clock) => `"${clock}"`);
    case 'year':
      return fc.integer({ min: 1, max: 9_999 }).map(String);
    case 'uuid':
      return fc.uuid().map((id) => `"${id}"`);
    case 'ip':
      return fc.oneof(fc.ipV4(), fc.ipV6()).map((ip) => `"${ip}"`);
    case 'json':
      return fc.json({ maxDepth: 2, stringUnit: 'grapheme-ascii' });
    case 'array':
      return fc.array(jsonOf(type.elementType), { maxLength: 3 }).map((all) => `[${all.join()}]`);
    case 'map':
      return fc.dictionary(text, jsonOf(type.elementType), { maxKeys: 3 }).map(
        (all) =>
          `{${Object.entries(all)
            .map(([key, value]) => `${JSON.stringify(key)}:${value}`)
            .join()}}`,
      );
    case 'object':
      return membersOf(type.properties).map(
        (all) => `{${all.map(([name, json]) => `"${name}":${json}`).join()}}`,
      );
  }
};

const membersOf = (properties: readonly Property[]): fc.Arbitrary<(readonly [string, string])[]> =>
  fc
    .tuple(
      ...properties.map(({ name, type }) =>
        fc
          .option(fc.oneof(fc.constant('null'), jsonOf(type)), { nil: undefined, freq: 9 })
          .map((json) => [name, json] as const),
      ),
    )
    .map((all) => all.filter((each): each is readonly [string, string] => each[1] !== undefined));

/** Records of a schema; members may be null or missing. */
export const recordsOf = (schema: Schema): fc.Arbitrary<readonly RecordValue[]> =>
  fc.array(
    jsonOf(schema).map((json) => decodeValue(schema, parseJson(json)) as RecordValue),
    { minLength: 0, maxLength: 30 },
  );

/** The same with null for what is missing, at every depth. */
export const filled = (type: Type, value: Value | undefined): Value => {
  if (value === undefined || value === null) return null;
  if (type.kind === 'array')
    return (value as readonly Value[]).map((each) => filled(type.elementType, each));
  if (type.kind === 'map')
    return new Map(
      Array.from(value as ReadonlyMap<string, Value>, ([key, each]) => [
        key,
        filled(type.elementType, each),
      ]),
    );
  if (type.kind !== 'object') return value;
  const record = newRecord();
  for (const { name, type: of } of type.properties)
    record[name] = filled(of, (value as RecordValue)[name]);
  return record;
};

/** Whether a value has a part that is NaN or infinite. */
export const isSpecial = (value: Value | undefined): boolean => {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null || value instanceof JsonText) return false;
  if (value instanceof Map) return Array.from(value.values() as Iterable<Value>).some(isSpecial);
  return Object.values(value).some((each) => isSpecial(each as Value));
};
