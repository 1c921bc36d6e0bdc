import { createGuardedSockets } from '@penstock/egress';
import {
  compileCodec,
  type Json,
  JsonNumber,
  type JsonObject,
  parseJson,
  printType,
} from '@penstock/schema';
import type {
  Database,
  DatabaseCall,
  DatabaseRecord,
  PlaceholderValues,
} from './database/database';

/** Reaches servers of this machine. */
export const LOCAL_SOCKETS = createGuardedSockets(['127.0.0.0/8']);

/** A call that ends by itself, not before a test does. */
export const call = (signal: AbortSignal = AbortSignal.timeout(60_000)): DatabaseCall => ({
  sockets: LOCAL_SOCKETS,
  signal,
});

export const NO_VALUES: PlaceholderValues = { updatedAt: null, limit: 100n };

/** Settings from plain values. */
export const settingsOf = (values: Readonly<Record<string, string | number>>): JsonObject =>
  new Map<string, Json>(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'number' ? new JsonNumber(String(value)) : value,
    ]),
  );

/** What a query gives, as JSON. */
export interface ReadAll {
  readonly schema: unknown;
  readonly issues: readonly string[];
  /** A JSON text of each record, or its error. */
  readonly records: readonly string[];
}

const textOf = (record: DatabaseRecord, encode: (record: DatabaseRecord) => string): string =>
  'error' in record ? `row ${String(record.row)}: ${record.error}` : encode(record);

/** Reads everything that a query gives. */
export const readAll = async (
  database: Database,
  settings: JsonObject,
  text: string,
  values = NO_VALUES,
): Promise<ReadAll> => {
  const rows = await database.query({ text, values }, settings, call());
  const codec = compileCodec(rows.schema);
  const records: string[] = [];
  try {
    for await (const batch of rows.records)
      for (const record of batch)
        records.push(
          textOf(record, (each) => ('values' in each ? codec.encode(each.values) : each.error)),
        );
  } finally {
    await rows.close();
  }
  return { schema: JSON.parse(printType(rows.schema)) as unknown, issues: rows.issues, records };
};

/** Types by the names of the properties of a schema in JSON. */
export const typesIn = (schema: unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    (schema as { properties: { name: string; type: unknown }[] }).properties.map(
      ({ name, type }) => [name, type],
    ),
  );

/** The values of one column of a result, as JSON texts. */
export const valuesIn = (records: readonly string[], name: string): readonly unknown[] =>
  records.map((record) => (parseJson(record) as JsonObject).get(name));
