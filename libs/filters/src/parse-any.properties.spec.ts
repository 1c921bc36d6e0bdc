import { Invalid, parseJson } from '@penstock/schema';
import fc from 'fast-check';
import { COLUMNS } from './columns';
import type { Filter, FilterContext } from './filter';
import { OPERATOR_NAMES } from './operators';
import { parseFilter } from './parse-filter';
import { printFilter } from './print-filter';
import { aProperty, aSchema, TYPES } from './schema.fixtures';

const leaves = COLUMNS.flatMap((column) => TYPES[column]).map((type, index) =>
  aProperty(`p${index}`, type, { nullable: index % 2 === 0, readOptional: index % 3 === 0 }),
);
const SCHEMA = aSchema(...leaves, aProperty('o', aSchema(...leaves)));

const contexts = fc.constantFrom<FilterContext>(
  'SourceUser',
  'DestinationUser',
  'SourceEvent',
  'DestinationEvent',
);

const anyJson = fc.jsonValue({ maxDepth: 3 });
const names = fc.nat(leaves.length).map((index) => `p${index}`);
const paths = fc.oneof(
  names,
  names.map((name) => `o.${name}`),
  fc.tuple(names, fc.constantFrom('a', 'a.b', '', '0')).map(([name, rest]) => `${name}.${rest}`),
  anyJson,
);
const operands = fc.oneof(
  fc.array(fc.oneof(fc.constantFrom('5', '-1.5', 'A', '', '2024', '10:11:12', '::1'), anyJson), {
    maxLength: 3,
  }),
  anyJson,
);
const condition = fc.record(
  {
    property: paths,
    operator: fc.oneof(fc.constantFrom(...OPERATOR_NAMES), anyJson),
    values: operands,
  },
  { requiredKeys: [] },
);
const submitted = fc.oneof(
  fc.record(
    {
      logical: fc.oneof(fc.constantFrom('and', 'or'), anyJson),
      conditions: fc.oneof(
        fc.array(fc.oneof({ weight: 9, arbitrary: condition }, anyJson)),
        anyJson,
      ),
    },
    { requiredKeys: [] },
  ),
  anyJson,
);

const parsed = (text: string, context: FilterContext): Filter | Invalid => {
  try {
    return parseFilter(parseJson(text), SCHEMA, context);
  } catch (error) {
    if (error instanceof Invalid) return error;
    throw error;
  }
};

it('reports what is wrong with any input, or stores what parses again', () => {
  fc.assert(
    fc.property(submitted, contexts, (json, context) => {
      const filter = parsed(JSON.stringify(json), context);
      if (filter instanceof Invalid) {
        expect(filter.issues.length).toBeGreaterThan(0);
        return;
      }
      expect(parsed(printFilter(filter), context)).toEqual(filter);
    }),
    { numRuns: 1_000 },
  );
});
