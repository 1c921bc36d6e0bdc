import type { Plain } from '@penstock/settings';

/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
export type JsonSchema = Readonly<Record<string, Plain>>;

/** References a component by name. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

export const TEXT: JsonSchema = { type: 'string' };
export const FLAG: JsonSchema = { type: 'boolean' };
export const INTEGER: JsonSchema = { type: 'integer' };
export const TIME: JsonSchema = { type: 'string', format: 'date-time' };
export const NULL: JsonSchema = { type: 'null' };
/** An object with any members. */
export const ANY_OBJECT: JsonSchema = { type: 'object', additionalProperties: true };
/** An integer that may exceed the precision of a double. */
export const INT64: JsonSchema = { type: 'integer', format: 'int64' };

export const DOUBLE: JsonSchema = { type: 'number', format: 'double' };
/** A number with as many digits as its type allows, which may exceed the precision of a double. */
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

/** An object with these required members and those of `optional`. */
export const object = <Name extends string>(
  members: Readonly<Record<Name, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema => ({
  type: 'object',
  required: Object.keys(members),
  properties: { ...members, ...optional },
});

/** Like {@link object}, without additional members. */
export const closedObject = (
  members: Readonly<Record<string, JsonSchema>>,
  optional: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema => ({ ...object(members, optional), additionalProperties: false });
