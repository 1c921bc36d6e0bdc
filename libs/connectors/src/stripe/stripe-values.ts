import {
  decodeValue,
  Invalid,
  isJsonObject,
  type Json,
  type JsonObject,
  JsonNumber,
  newRecord,
  type RecordValue,
  type Schema,
  textOf,
  type Type,
  type Value,
} from '@penstock/schema';

/** What a customer has of a schema, and the names of properties whose values are not of their types. */
export interface ReadCustomer {
  readonly values: RecordValue;
  readonly faults: readonly string[];
}

/** Reads a customer as Stripe gives it: with more members than the schema has. */
export const readCustomer = (customer: JsonObject, schema: Schema): ReadCustomer => {
  const values = newRecord();
  const faults: string[] = [];
  for (const { name, type, nullable } of schema.properties) {
    const json = customer.get(name) ?? null;
    const value = json === null && nullable ? null : valueOf(json, type);
    if (value === undefined) faults.push(name);
    else values[name] = value;
  }
  return { values, faults };
};

const valueOf = (json: Json, type: Type): Value | undefined => {
  if (type.kind === 'object') {
    if (!isJsonObject(json)) return undefined;
    const { values, faults } = readCustomer(json, type);
    return faults.length === 0 ? values : undefined;
  }
  try {
    return decodeValue(type, type.kind === 'datetime' ? isoOf(json) : json);
  } catch (error) {
    if (error instanceof Invalid) return undefined;
    throw error;
  }
};

/** Times are seconds since 1970. */
const isoOf = (json: Json): Json => {
  const date = new Date(json instanceof JsonNumber ? Number(json.text) * 1_000 : Number.NaN);
  return Number.isNaN(date.getTime()) ? json : date.toISOString();
};

/** The name of a parameter and its value. */
type Parameter = readonly [name: string, value: string];

/** Parameters that write a record; an empty one clears a property. */
export const writtenCustomer = (record: RecordValue, schema: Schema): string =>
  new URLSearchParams(
    parametersOf(record, schema, (name) => name).map(([name, value]) => [name, value]),
  ).toString();

const parametersOf = (
  record: RecordValue,
  { properties }: Schema,
  named: (name: string) => string,
): Parameter[] =>
  properties.flatMap(({ name, type }) => {
    const value = record[name];
    return value === undefined ? [] : parametersFor(named(name), value, type);
  });

const parametersFor = (name: string, value: Value, type: Type): Parameter[] => {
  if (value === null) return [[name, '']];
  if (type.kind === 'object')
    return parametersOf(value as RecordValue, type, (member) => `${name}[${member}]`);
  if (type.kind === 'map')
    return [...(value as ReadonlyMap<string, Value>)].map(([key, each]) => [
      `${name}[${key}]`,
      textOf(type.elementType, each),
    ]);
  if (type.kind === 'array') {
    const elements = value as readonly Value[];
    if (elements.length === 0) return [[name, '']];
    return elements.map((each, n) => [`${name}[${String(n)}]`, textOf(type.elementType, each)]);
  }
  return [[name, textOf(type, value)]];
};
