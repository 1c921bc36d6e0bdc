import { JsonText, newRecord, parseJson, type Type } from '@penstock/schema';
import fc from 'fast-check';
import { COLUMNS } from './columns';
import { fits } from './read-operator';
import { aProperty, aSchema, TYPES } from './schema.fixtures';
import { operandType } from './parse-condition';
import { operandValue } from './typed-tests';
import { readOperand } from './read-operand';
import { OPERATOR_NAMES, rowOf, type Operator } from './operators';

/** One condition over a schema, and a value that a record may hold there. */
export interface Trial {
  readonly schema: ReturnType<typeof aSchema>;
  readonly steps: readonly string[];
  readonly inside: readonly string[];
  readonly operator: Operator;
  readonly values: readonly string[];
  readonly value: unknown;
}

const numbers = fc.oneof(
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e30, max: 1e30 }).map(String),
  fc.constantFrom('0', '-0', '1e3', '1.50', '1e-9'),
);

const moments = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString());

const texts = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).filter((text) => !text.includes('\0')),
  numbers,
  moments,
);

const OPERANDS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  string: texts,
  json: texts,
  float: numbers,
  decimal: fc.tuple(fc.integer(), fc.nat(999)).map(([whole, part]) => `${whole}.${part}`),
  datetime: moments,
  date: moments.map((text) => text.slice(0, 10)),
  time: moments.map((text) => text.slice(11, 23)),
  year: fc.integer({ min: 1, max: 9999 }).map(String),
  uuid: fc.uuid(),
  ip: fc.oneof(fc.ipV4(), fc.constantFrom('::1', '::ffff:1.2.3.4', '2001:DB8::1')),
};

const operandsOf = (type: Type): fc.Arbitrary<string> => {
  if (type.kind === 'int') return fc.bigInt(type.unsigned ? 0n : -9n, 2n ** 63n - 1n).map(String);
  if (type.kind === 'string' && type.values !== undefined) return fc.constantFrom(...type.values);
  return OPERANDS[type.kind] ?? texts;
};

const LENGTHS = { none: [0, 0], one: [1, 1], two: [2, 2], some: [1, 4] } as const;

const json = fc.json({ maxDepth: 2 }).map((text) => JsonText.of(parseJson(text)));

/** Whatever a record might hold against its schema. */
const strange: fc.Arbitrary<unknown> = fc.oneof(
  fc.anything({ withBigInt: true, withMap: true, withNullPrototype: true, withSparseArray: true }),
  json,
  fc.constantFrom(JsonText.trusted('{'), JsonText.trusted(''), newRecord(), NaN, -0, Infinity),
);

/** The value in memory that an operand stands for. */
export const ownValue = (type: Type, operand: string): unknown => {
  if (type.kind === 'json') return JsonText.of(operand);
  return operandValue(type, readOperand(type, operand) ?? operand);
};

const valuesFor = (type: Type, operands: readonly string[]): fc.Arbitrary<unknown> => {
  const own = operands.map((operand) => ownValue(type, operand));
  return fc.oneof(strange, fc.constantFrom(undefined, null, ...own, ...own.map((one) => [one])));
};

const trialOf = (type: Type, operator: Operator, steps: readonly string[]) => {
  const flags = { nullable: true, readOptional: true };
  const [first, ...outer] = steps.toReversed();
  const leaf = aProperty(first ?? '', type, flags);
  const root = outer.reduce((inner, name) => aProperty(name, aSchema(inner), flags), leaf);
  const [minLength, maxLength] = LENGTHS[rowOf(operator).arity];
  const taken = operandType(operator, type);
  return fc.array(operandsOf(taken), { minLength, maxLength }).chain((values) =>
    fc.record({
      schema: fc.constant(aSchema(root)),
      steps: fc.constant(steps),
      inside: fc.constantFrom(...(type.kind === 'json' ? [[], ['a'], ['a', 'b']] : [[]])),
      operator: fc.constant(operator),
      values: fc.constant(values),
      value: valuesFor(taken, values),
    }),
  );
};

const flags = { nullable: true, readOptional: true };

const CELLS = COLUMNS.flatMap((column) => TYPES[column]).flatMap((type) => {
  const target = { property: aProperty('p', type, flags), steps: ['p'], inside: [] };
  return OPERATOR_NAMES.filter((operator) => fits(operator, target, 'SourceUser')).map(
    (operator) => ({ type, operator }),
  );
});

/** The operators over every type that they fit, at the root or inside objects, with good operands. */
export const trialsOf = (accepts: (operator: Operator) => boolean): fc.Arbitrary<Trial> =>
  fc
    .tuple(
      fc.constantFrom(...CELLS.filter(({ operator }) => accepts(operator))),
      fc.constantFrom(['p'], ['o', 'p'], ['o', 'o', 'p']),
    )
    .chain(([{ type, operator }, steps]) => trialOf(type, operator, steps));
