import type { Plain } from '@penstock/settings';

/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
export type JsonSchema = Readonly<Record<string, Plain>>;

/** What stands among the components under the name. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

export const TEXT: JsonSchema = { type: 'string' };
export const FLAG: JsonSchema = { type: 'boolean' };
export const INTEGER: JsonSchema = { type: 'integer' };
export const TIME: JsonSchema = { type: 'string', format: 'date-time' };
export const NULL: JsonSchema = { type: 'null' };
/** Of which nothing is said but that it is one. */
export const ANY_OBJECT: JsonSchema = { type: 'object', additionalProperties: true };
/** An integer that a double may not hold. */
export const INT64: JsonSchema = { type: 'integer', format: 'int64' };

export const DOUBLE: JsonSchema = { type: 'number', format: 'double' };
/** Of so many digits as its type says, which may be more than those of a double. */
export const DECIMAL: JsonSchema = { type: 'number', format: 'decimal' };

export const oneOf = (options: readonly string[]): JsonSchema => ({
  type: 'string',
  enum: options,
});

export const described = (schema: JsonSchema, description: string): JsonSchema => ({
  ...schema,
  description,
});

export const orNull = ({ description, ...schema }: JsonSchema): JsonSchema => ({
  anyOf: [schema, NULL],
  ...(description !== undefined && { description }),
});

export const arrayOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });

/** An object with these members; those of `optional` may be absent. */
export const object = <Name extends string>(
  members: Readonly<Record<Name, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema => ({
  type: 'object',
  required: Object.keys(members),
  properties: { ...members, ...optional },
});

/** {@link object} that has no other members. */
export const closedObject = (
  members: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema => ({ ...object(members, optional), additionalProperties: false });
