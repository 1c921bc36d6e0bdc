import { EVENT_SCHEMA } from '@penstock/contracts';
import { OPERATOR_NAMES, parseFilter } from '@penstock/filters';
import { JsonText, newRecord, parseJson, type RecordValue, type Value } from '@penstock/schema';
import fc from 'fast-check';

interface ConditionJson {
  readonly property: string;
  readonly operator: string;
  readonly values: readonly string[];
}

export interface FilterJson {
  readonly logical: 'and' | 'or';
  readonly conditions: readonly ConditionJson[];
}

const TYPES = ['alias', 'identify', 'group', 'page', 'screen', 'track'];
/** Some differ in case, in the normal form of an accent, or by being a number inside JSON. */
const NAMES = [
  'Order',
  'order',
  'Order Placed',
  'Caf\u00e9',
  'Cafe\u0301',
  '1',
  '1.0',
  'track',
  ' ',
];
const MOMENTS = ['2026-01-02T03:04:05Z', '2026-01-02T04:04:05+01:00'];

const PATHS = [
  ...['type', 'event', 'name', 'category', 'channel', 'userId', 'previousId', 'receivedAt'],
  ...['context.app.name', 'context.browser.name', 'context.device.type', 'context'],
  ...[
    'properties',
    'properties.type',
    'properties.event',
    'properties.a.b',
    'traits',
    'traits.event',
  ],
];

const isFilter = (filter: FilterJson): boolean => {
  try {
    parseFilter(parseJson(JSON.stringify(filter)), EVENT_SCHEMA, 'DestinationEvent');
    return true;
  } catch {
    return false;
  }
};

const OPERANDS: readonly (readonly string[])[] = [
  [],
  ...[...TYPES, ...NAMES, ...MOMENTS].map((each) => [each]),
  ['page', 'track'],
  ['Order', '1'],
  ['Order', 'Cafe\u0301', 'order'],
  ['Chrome'],
  ['Chrome', 'Safari'],
  MOMENTS,
];

/** Every valid condition over the event schema that these properties, operators and operands form. */
const CONDITIONS: readonly ConditionJson[] = PATHS.flatMap((property) =>
  OPERATOR_NAMES.flatMap((operator) =>
    OPERANDS.map((values) => ({ property, operator, values })).filter((condition) =>
      isFilter({ logical: 'and', conditions: [condition] }),
    ),
  ),
);

const KEYED = CONDITIONS.filter(
  ({ property, operator }) =>
    ['type', 'event'].includes(property) && ['is', 'is one of'].includes(operator),
);

const conditions = fc.oneof(fc.constantFrom(...KEYED), fc.constantFrom(...CONDITIONS));

/** Filters over the event schema; many of them name types and names of events. `null`: every event. */
export const filters: fc.Arbitrary<FilterJson | null> = fc.option(
  fc.record({
    logical: fc.constantFrom('and' as const, 'and' as const, 'or' as const),
    conditions: fc.array(conditions, { minLength: 1, maxLength: 4 }),
  }),
  { freq: 8 },
);

const jsonOf = (value: fc.JsonValue): JsonText => JsonText.of(parseJson(JSON.stringify(value)));

const names = fc.constantFrom(...NAMES, ...TYPES);
const json = fc
  .dictionary(fc.constantFrom('type', 'event', 'a'), fc.oneof(names, fc.integer(), fc.jsonValue()))
  .map((members) => jsonOf(members as fc.JsonValue));

/** Values of other types than the schema's, some of which the codec never produces. */
const strange: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, undefined, 1, 1n, NaN, true),
  fc.constant(['track']),
  json,
);

const member = (usual: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: strange });

/** Parsed events. Members that are undefined are left out. */
export const events: fc.Arbitrary<RecordValue> = fc
  .record({
    type: member(fc.constantFrom(...TYPES)),
    event: member(fc.option(names, { nil: undefined })),
    name: member(fc.option(names, { nil: undefined })),
    category: member(fc.option(names, { nil: undefined })),
    userId: member(fc.option(names, { nil: undefined })),
    receivedAt: member(fc.constant('2026-01-02T03:04:05Z')),
    properties: member(fc.option(json, { nil: undefined })),
    traits: member(json),
  })
  .map((members) => {
    const given = Object.entries(members).filter(([, value]) => value !== undefined);
    return Object.assign(newRecord(), Object.fromEntries(given) as Record<string, Value>);
  });
