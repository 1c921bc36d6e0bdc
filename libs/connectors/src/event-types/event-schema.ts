import { type Json, parseJson, parseSchema, type Schema } from '@penstock/schema';

const json = (plain: unknown): Json => parseJson(JSON.stringify(plain));

/** @param properties in the notation of types. */
export const eventSchema = (...properties: readonly object[]): Schema =>
  parseSchema(json({ kind: 'object', properties }));

/** A filter in which every condition has to hold: the property is the value. */
export const allAre = (conditions: Readonly<Record<string, string>>): Json =>
  json({
    logical: 'and',
    conditions: Object.entries(conditions).map(([property, value]) => ({
      property,
      operator: 'is',
      values: [value],
    })),
  });

export const TEXT = { kind: 'string' };
export const ANY_JSON = { kind: 'json' };
/** A number that JSON can hold. */
export const NUMBER = { kind: 'float', bitSize: 64, real: true };

/** An object of these properties. */
export const objectOf = (...properties: readonly object[]): object => ({
  kind: 'object',
  properties,
});
