import { OPERATOR_NAMES } from '@penstock/filters';
import { TRIAL_STEPS } from '@penstock/contracts';
import { KINDS } from '@penstock/schema';
import {
  ANY_OBJECT,
  arrayOf,
  closedObject,
  DECIMAL,
  described,
  DOUBLE,
  FLAG,
  INT64,
  INTEGER,
  type JsonSchema,
  NULL,
  object,
  oneOf,
  ref,
  TEXT,
} from '../schema/json-schema';

type Members = Readonly<Record<string, JsonSchema>>;

const between = (minimum: number, maximum: number): JsonSchema => ({
  type: 'integer',
  minimum,
  maximum,
});

const MAX_LENGTH = 4_294_967_295;
const MAX_ELEMENTS = 2_147_483_647;

/** Members of a type by its kind, besides `kind`: the required ones and the optional ones. */
const KEYS: Readonly<Record<string, readonly [members: Members, optional: Members]>> = {
  string: [
    {},
    {
      values: { ...arrayOf(TEXT), minItems: 1 },
      pattern: described(TEXT, 'In the syntax of RE2.'),
      maxLength: described(between(1, MAX_LENGTH), 'In characters.'),
      charLen: described(
        between(1, MAX_LENGTH),
        'An alias of `maxLength`: accepted in requests, alone or equal to it; returned beside it in schemas of users and event types of applications.',
      ),
      maxByteLength: described(between(1, MAX_LENGTH), 'In bytes of UTF-8.'),
    },
  ],
  int: [
    { bitSize: { type: 'integer', enum: [8, 16, 24, 32, 64] } },
    { minimum: INT64, maximum: INT64, unsigned: FLAG },
  ],
  float: [
    { bitSize: { type: 'integer', enum: [32, 64] } },
    {
      minimum: DOUBLE,
      maximum: DOUBLE,
      real: described(FLAG, 'Excludes NaN and the infinities.'),
    },
  ],
  decimal: [
    { precision: between(1, 76) },
    {
      scale: described(between(0, 37), 'Not greater than the precision.'),
      minimum: DECIMAL,
      maximum: DECIMAL,
    },
  ],
  array: [
    { elementType: ref('Type') },
    {
      minElements: between(0, MAX_ELEMENTS),
      maxElements: between(0, MAX_ELEMENTS),
      uniqueElements: described(FLAG, 'Not for elements of kind json, array, map or object.'),
    },
  ],
  object: [{ properties: { ...arrayOf(ref('Property')), minItems: 1 } }, {}],
  map: [{ elementType: ref('Type') }, {}],
};

const nameOf = (kind: string): string =>
  kind === 'object' ? 'Schema' : `${kind.charAt(0).toUpperCase()}${kind.slice(1)}Type`;

const typeOfKind = (kind: string): JsonSchema => {
  const [members, optional] = KEYS[kind] ?? [{}, {}];
  return closedObject({ kind: { type: 'string', const: kind }, ...members }, optional);
};

const PROPERTY = closedObject(
  { name: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' }, type: ref('Type') },
  {
    prefilled: described(TEXT, 'Expression that is proposed for the mapping of a new pipeline.'),
    createRequired: FLAG,
    updateRequired: FLAG,
    readOptional: described(FLAG, 'May be absent in values that are read.'),
    nullable: FLAG,
    description: TEXT,
  },
);

const FUNCTION = {
  source: { type: 'string', minLength: 1, maxLength: 50_000 },
  language: oneOf(['JavaScript', 'Python']),
  preserveJSON: described(
    FLAG,
    'Whether values of kind json are passed to the function as strings.',
  ),
} satisfies Members;

const PATHS = {
  inPaths: described(arrayOf(TEXT), 'Paths of the properties that the function gets.'),
  outPaths: described(
    { ...arrayOf(TEXT), minItems: 1 },
    'Paths of the properties that the function may return.',
  ),
} satisfies Members;

/** Exactly one of the two members; in an answer the other is present and null. */
const transformation = (fn: string): JsonSchema => ({
  oneOf: [
    closedObject(
      { mapping: { type: 'object', minProperties: 1, additionalProperties: TEXT } },
      { function: NULL },
    ),
    closedObject({ function: ref(fn) }, { mapping: NULL }),
  ],
});

export const SCHEMA_EXAMPLE = {
  kind: 'object',
  properties: [
    { name: 'email', type: { kind: 'string', maxLength: 120 }, createRequired: true },
    { name: 'itemId', type: { kind: 'int', bitSize: 64 }, nullable: true },
  ],
};

export const FILTER_EXAMPLE = {
  logical: 'and',
  conditions: [{ property: 'event', operator: 'is', values: ['Add to Cart'] }],
};

export const TRANSFORMATION_EXAMPLE = {
  mapping: { email: 'traits.email', itemId: 'properties.item_id' },
};

/** Components for types, schemas, filters and transformations. */
export const NOTATION: Readonly<Record<string, JsonSchema>> = {
  Type: {
    description: 'A type of values; `kind` says which.',
    oneOf: KINDS.map((kind) => ref(nameOf(kind))),
    discriminator: {
      propertyName: 'kind',
      mapping: Object.fromEntries(
        KINDS.map((kind) => [kind, `#/components/schemas/${nameOf(kind)}`]),
      ),
    },
  },
  ...Object.fromEntries(KINDS.map((kind) => [nameOf(kind), typeOfKind(kind)])),
  Schema: {
    ...described(typeOfKind('object'), 'A schema has the representation of an object type.'),
    examples: [SCHEMA_EXAMPLE],
  },
  Property: PROPERTY,
  Filter: {
    ...closedObject({
      logical: oneOf(['and', 'or']),
      conditions: { ...arrayOf(ref('Condition')), minItems: 1 },
    }),
    examples: [FILTER_EXAMPLE],
  },
  Condition: closedObject(
    {
      property: described(TEXT, 'Path of a property. It may continue inside a json value.'),
      operator: described(
        oneOf(OPERATOR_NAMES),
        'The operators that can be used depend on the type of the property.',
      ),
    },
    { values: described(arrayOf(TEXT), 'The operands of the operator.') },
  ),
  Transformation: {
    ...transformation('TransformationFunction'),
    examples: [TRANSFORMATION_EXAMPLE],
  },
  TransformationFunction: closedObject({ ...FUNCTION, ...PATHS }),
  PreviewTransformation: transformation('PreviewFunction'),
  PreviewFunction: closedObject(FUNCTION, PATHS),
  Issue: object(
    { path: described(TEXT, 'JSON pointer.'), message: TEXT },
    {
      line: described(INTEGER, 'Line in the source of the function, from 1.'),
      column: INTEGER,
      step: described(oneOf(TRIAL_STEPS), 'Of a preview: where it failed.'),
      values: described(
        ANY_OBJECT,
        'Of a preview: what came to the step. The event before Transformation; before OutputValidation what the transformation gave, by key of a mapping; before Finalize the values that were to be sent.',
      ),
      isCut: described(FLAG, 'Whether parts of the values are left out because they are too long.'),
      console: described(TEXT, 'Of a preview: what the function wrote to its console.'),
    },
  ),
};
