import {
  checkValue,
  Invalid,
  type ObjectType,
  type RecordValue,
  type Schema,
} from '@penstock/schema';
import fc from 'fast-check';
import { ofProperties, TYPES, valueOf } from './arbitraries.fixture';
import { compileMapping } from './compile-mapping';
import type { CompiledMapping } from './compiled-mapping';
import { converter } from './convert/converter';
import { OutputValidationError, TransformationError } from './errors';
import { FUNCTIONS } from './functions/functions';
import type { Purpose } from './purpose';

const typeIndex = fc.nat(TYPES.length - 1);

it('converts to nothing, to null, or to a value that meets every constraint', () => {
  const pair = fc.tuple(fc.constantFrom(...TYPES), fc.constantFrom(...TYPES));
  const trial = pair.chain(([from, to]) => valueOf(from).map((value) => ({ from, to, value })));
  fc.assert(
    fc.property(trial, ({ from, to, value }) => {
      const converted = converter(from, to)?.(value);
      return converted === undefined || converted === null || !checkValue(to, converted);
    }),
    { numRuns: 1_000 },
  );
});

/** One nullable property of each type: `p0`, `p1` and so on. */
const SCHEMA: ObjectType = {
  kind: 'object',
  properties: TYPES.map((type, index) => ({
    name: `p${index}`,
    type,
    nullable: true,
    prefilled: '',
    createRequired: false,
    updateRequired: false,
    readOptional: true,
    description: '',
  })),
};

const steps = fc.constantFrom('', '', '.a', '.b?', '["c"].k', '.a.a?');
const path = fc.tuple(typeIndex, steps).map(([index, rest]) => `p${index}${rest}`);
const literal = fc.constantFrom(
  '"x"',
  '""',
  '"5"',
  '"2024-02-29"',
  '"(a)"',
  '"$1"',
  '"HH"',
  '0',
  '-1',
  '2.5',
  'true',
  'null',
  '1e40',
);

const { expression } = fc.letrec<{ part: string; call: string; expression: string }>((tie) => ({
  part: fc.oneof({ depthSize: 'small' }, path, literal, tie('call')),
  call: fc
    .tuple(fc.constantFrom(...FUNCTIONS.keys()), fc.array(tie('expression'), { maxLength: 3 }))
    .map(([name, given]) => `${name}(${given.join(', ')})`),
  expression: fc.array(tie('part'), { minLength: 1, maxLength: 2 }).map((parts) => parts.join(' ')),
}));

const compiled = (text: string, output: Schema, key: string): CompiledMapping | undefined => {
  try {
    return compileMapping(new Map([[key, text]]), SCHEMA, output);
  } catch (error) {
    if (error instanceof Invalid) return undefined;
    throw error;
  }
};

const purposes = fc.constantFrom<Purpose>('None', 'Create', 'Update');

it('fails with one of two errors, and returns no value that violates a constraint', () => {
  const given = fc.record({
    text: expression,
    to: typeIndex,
    record: ofProperties(SCHEMA.properties),
    purpose: purposes,
  });
  let applied = 0;
  fc.assert(
    fc.property(given, ({ text, to, record, purpose }) => {
      const mapping = compiled(text, SCHEMA, `p${to}`);
      if (!mapping) return true;
      applied++;
      try {
        return checkValue(SCHEMA, mapping.apply(record as RecordValue, purpose)) === undefined;
      } catch (error) {
        return error instanceof TransformationError || error instanceof OutputValidationError;
      }
    }),
    { numRuns: 1_000 },
  );
  expect(applied).toBeGreaterThan(50);
});
