import fc from 'fast-check';
import { Invalid } from './issue';
import { JsonText } from './json-text';
import { parseJson } from './parse-json';
import { canonicalDateTime } from './texts/date-time';
import { canonicalDecimal } from './texts/decimal';
import { canonicalIp } from './texts/ip';
import { type DecimalType, KINDS, type ObjectType, type Property, type Type } from './type';
import { parseType } from './types/parse-type';
import { printType } from './types/print-type';
import { newRecord, type Value } from './value';
import { compileCodec } from './values/record-codec';
import { checkValue, decodeValue, encodeValue, valueToJson } from './values/values';

const letters = (): fc.Arbitrary<string> => fc.string({ unit: 'grapheme-composite', maxLength: 8 });

/** `undefined` members left out, as `exactOptionalPropertyTypes` wants it. */
const type = (members: Record<string, unknown>): Type =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined),
  ) as unknown as Type;

const option = <V>(value: fc.Arbitrary<V>): fc.Arbitrary<V | undefined> =>
  fc.option(value, { nil: undefined });

const stringType = (): fc.Arbitrary<Type> =>
  fc
    .record({
      values: option(
        fc.array(
          letters().map((text) => text.normalize('NFC')),
          { minLength: 1 },
        ),
      ),
      maxLength: option(fc.integer({ min: 8, max: 4_294_967_295 })),
      maxByteLength: option(fc.integer({ min: 1000, max: 4_294_967_295 })),
    })
    .map((members) => type({ kind: 'string', ...members }));

const intType = (): fc.Arbitrary<Type> =>
  fc
    .tuple(fc.constantFrom(8, 16, 24, 32, 64), fc.boolean(), fc.nat(99), fc.nat(99))
    .map(([bitSize, unsigned, fromLeast, fromMost]) => {
      const bits = BigInt(bitSize);
      const least = unsigned ? 0n : -(2n ** (bits - 1n));
      const most = least + 2n ** bits - 1n;
      const [minimum, maximum] = [least + BigInt(fromLeast), most - BigInt(fromMost)];
      return { kind: 'int', bitSize, unsigned, minimum, maximum };
    });

const floatType = (): fc.Arbitrary<Type> =>
  fc
    .tuple(
      fc.constantFrom(32, 64),
      fc.boolean(),
      option(fc.integer({ min: -1e6, max: 0 })),
      option(fc.integer({ min: 0, max: 1e6 })),
    )
    .map(([bitSize, real, minimum, maximum]) =>
      type({ kind: 'float', bitSize, real, minimum, maximum }),
    );

const decimalType = (): fc.Arbitrary<Type> =>
  fc.tuple(fc.integer({ min: 1, max: 76 }), fc.nat(37)).map(([precision, scale]): DecimalType => ({
    kind: 'decimal',
    precision,
    scale: Math.min(precision, scale),
  }));

const PLAIN_KINDS = ['boolean', 'datetime', 'date', 'time', 'year', 'uuid', 'json', 'ip'] as const;

const scalarType = (): fc.Arbitrary<Type> =>
  fc.oneof(
    stringType(),
    intType(),
    floatType(),
    decimalType(),
    fc.constantFrom(...PLAIN_KINDS).map((kind): Type => ({ kind })),
  );

const property = (of: fc.Arbitrary<Type>): fc.Arbitrary<Property> =>
  fc.record({
    name: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,4}$/),
    type: of,
    prefilled: fc.constantFrom('', 'traits.email'),
    createRequired: fc.boolean(),
    updateRequired: fc.boolean(),
    readOptional: fc.boolean(),
    nullable: fc.boolean(),
    description: letters(),
  });

const objectType = (of: fc.Arbitrary<Type>): fc.Arbitrary<ObjectType> =>
  fc
    .uniqueArray(property(of), { selector: ({ name }) => name, minLength: 1, maxLength: 4 })
    .map((properties) => ({ kind: 'object', properties }));

const arrayType = (of: fc.Arbitrary<Type>): fc.Arbitrary<Type> =>
  fc
    .tuple(of, fc.nat(2), fc.integer({ min: 2, max: 5 }))
    .map(([elementType, minElements, maxElements]) => ({
      kind: 'array',
      elementType,
      minElements,
      maxElements,
      uniqueElements: false,
    }));

const anyType = (depth = 2): fc.Arbitrary<Type> =>
  depth === 0
    ? scalarType()
    : fc.oneof(
        scalarType(),
        arrayType(anyType(depth - 1)),
        anyType(depth - 1).map((elementType): Type => ({ kind: 'map', elementType })),
        objectType(anyType(depth - 1)),
      );

/** A value of a type. */
const valueOf = (of: Type): fc.Arbitrary<Value> => {
  switch (of.kind) {
    case 'string':
      return of.values ? fc.constantFrom(...of.values) : letters();
    case 'int':
      return fc
        .bigInt({ min: of.minimum, max: of.maximum })
        .map((value) => (of.bitSize === 64 ? value : Number(value)));
    case 'float':
      return fc
        .double({
          min: of.minimum ?? -1e30,
          max: of.maximum ?? 1e30,
          noNaN: of.real || of.minimum !== undefined || of.maximum !== undefined,
        })
        .map((value) => (of.bitSize === 32 ? Math.fround(value) : value) + 0);
    case 'decimal':
      return fc
        .bigInt({ min: 0n, max: 10n ** BigInt(of.precision) - 1n })
        .map((digits) => canonicalDecimal(`${digits}e-${of.scale}`, of) ?? '');
    case 'array':
      return fc.array(valueOf(of.elementType), {
        minLength: of.minElements,
        maxLength: of.maxElements,
      });
    case 'map':
      return fc
        .uniqueArray(fc.tuple(letters(), valueOf(of.elementType)), {
          selector: ([key]) => key,
          maxLength: 4,
        })
        .map((entries) => new Map(entries));
    case 'object':
      return recordOf(of);
    case 'boolean':
    case 'datetime':
    case 'date':
    case 'time':
    case 'year':
    case 'uuid':
    case 'json':
    case 'ip':
      return plainValue(of.kind);
  }
};

const recordOf = ({ properties }: ObjectType): fc.Arbitrary<Value> =>
  fc
    .tuple(
      ...properties.map(({ type: of, nullable, readOptional }) =>
        fc.oneof(
          valueOf(of),
          ...(nullable && of.kind !== 'json' ? [fc.constant(null)] : []),
          ...(readOptional ? [fc.constant(undefined)] : []),
        ),
      ),
    )
    .map((values) => {
      const record = newRecord();
      for (const [index, { name }] of properties.entries())
        if (values[index] !== undefined) record[name] = values[index];
      return record;
    });

const moment = (): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
      fc.nat(999_999),
    )
    .map(
      ([date, nanoseconds]) =>
        canonicalDateTime(
          date.toISOString().replace('Z', `${String(nanoseconds).padStart(6, '0')}Z`),
        ) ?? '',
    );

const plainValue = (kind: (typeof PLAIN_KINDS)[number]): fc.Arbitrary<Value> => {
  switch (kind) {
    case 'boolean':
      return fc.boolean();
    case 'datetime':
      return moment();
    case 'date':
      return moment().map((text) => text.slice(0, 10));
    case 'time':
      return moment().map((text) => text.slice(11, -1));
    case 'year':
      return fc.integer({ min: 1, max: 9999 });
    case 'uuid':
      return fc.uuid();
    case 'json':
      return fc
        .json({ stringUnit: 'grapheme-composite' })
        .map((text) => parseJson(text))
        .map((json) => JsonText.trusted(JsonText.of(json).text))
        .filter((json) => checkValue({ kind: 'json' }, json) === undefined);
    case 'ip':
      return fc.oneof(fc.ipV4(), fc.ipV6()).map((text) => canonicalIp(text) ?? '');
  }
};

it('a type reads back from what is printed', () =>
  fc.assert(
    fc.property(anyType(), (of) => {
      expect(parseType(parseJson(printType(of)))).toEqual(of);
    }),
  ));

it('a type of any JSON is refused with its issues, or reads back from what is printed', () => {
  const key = fc.constantFrom(
    'kind',
    'bitSize',
    'minimum',
    'scale',
    'elementType',
    'values',
    'name',
  );
  const kind = fc.constantFrom<fc.JsonValue>(...KINDS, 8, 64, -1, 1.5, 'Kind', null);
  const { tree } = fc.letrec<{ tree: fc.JsonValue }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small' },
      kind,
      fc.dictionary(key, tie('tree'), { maxKeys: 4 }) as fc.Arbitrary<fc.JsonValue>,
      fc.array(tie('tree'), { maxLength: 2 }) as fc.Arbitrary<fc.JsonValue>,
      fc.jsonValue({ maxDepth: 1 }),
    ),
  }));
  fc.assert(
    fc.property(tree, (json) => {
      try {
        const of = parseType(parseJson(JSON.stringify(json)));
        expect(parseType(parseJson(printType(of)))).toEqual(of);
      } catch (error) {
        expect(error).toBeInstanceOf(Invalid);
        expect((error as Invalid).issues.length).toBeGreaterThan(0);
      }
    }),
    { numRuns: 500 },
  );
});

it('a record reads back from what is written, with and without a tree', () =>
  fc.assert(
    fc.property(
      objectType(anyType()).chain((of) => fc.tuple(fc.constant(of), recordOf(of))),
      fc.constantFrom(undefined, 2),
      ([of, record], indent) => {
        const codec = compileCodec(of);
        const text = encodeValue(of, record);
        expect(codec.parse(text)).toEqual(record);
        expect(codec.decode(parseJson(text))).toEqual(record);
        expect(codec.encode(codec.parse(respelled(text, indent)))).toBe(text);
        expect(decodeValue(of, valueToJson(of, record))).toEqual(record);
      },
    ),
  ));

/** The same JSON with white space and escapes that it need not have. Numbers keep their text. */
const respelled = (text: string, indent: number | undefined): string => {
  if (indent === undefined) return text;
  return text.replace(/"(?:[^"\\]|\\.)*"|[,:{}[\]]/gs, (token) =>
    token.startsWith('"')
      ? token.replace(/[a-m](?<!\\.)/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`)
      : ` ${token}\n`,
  );
};
