import {
  canonicalDate,
  canonicalDateTime,
  type RecordValue,
  type Schema,
  newRecord,
  textOf,
  type Type,
  type Value,
  type Json,
  type JsonObject,
} from '@penstock/schema';

const SEPARATOR = ';';
const MILLISECONDS = /^-?\d{1,15}$/;

/** What a contact has of a schema, and the names of properties whose texts are not of their types. */
export interface ReadContact {
  readonly values: RecordValue;
  readonly faults: readonly string[];
}

/** Reads the texts in which HubSpot gives the values of properties. */
export const readContact = (properties: JsonObject, schema: Schema): ReadContact => {
  const values = newRecord();
  const faults: string[] = [];
  for (const { name, type, nullable, readOptional } of schema.properties) {
    const text = properties.get(name);
    const isNothing = text === undefined || text === null || text === '';
    if (isNothing && (text !== undefined || !readOptional) && nullable) values[name] = null;
    if (isNothing) continue;
    const value = valueOf(text, type);
    if (value === undefined) faults.push(name);
    else values[name] = value;
  }
  return { values, faults };
};

const valueOf = (text: Json, type: Type): Value | undefined => {
  if (typeof text !== 'string') return undefined;
  switch (type.kind) {
    case 'string':
      return text;
    case 'float':
      return finite(text);
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'date':
      return canonicalDate(MILLISECONDS.test(text) ? (isoOf(text)?.slice(0, 10) ?? '') : text);
    case 'datetime':
      return canonicalDateTime(MILLISECONDS.test(text) ? (isoOf(text) ?? '') : text);
    case 'array':
      return text.split(SEPARATOR).filter((each) => each !== '');
    default:
      return undefined;
  }
};

const finite = (text: string): number | undefined => {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) ? number + 0 : undefined;
};

const isoOf = (milliseconds: string): string | undefined => {
  const date = new Date(Number(milliseconds));
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
};

/** The texts in which HubSpot takes values; an empty one clears a property. */
export const writtenContact = (values: RecordValue, schema: Schema): JsonObject =>
  new Map(
    schema.properties.flatMap(({ name, type }): [string, string][] => {
      const value = values[name];
      return value === undefined ? [] : [[name, writtenValue(value, type)]];
    }),
  );

const writtenValue = (value: Value, type: Type): string => {
  if (value === null) return '';
  return type.kind === 'array' ? (value as readonly string[]).join(SEPARATOR) : textOf(type, value);
};
