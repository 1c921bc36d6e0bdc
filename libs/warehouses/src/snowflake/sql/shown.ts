import type { SnowflakeSession } from '@penstock/databases';

/** Rows by names of columns in small letters. */
export type ShownRows = readonly ReadonlyMap<string, string>[];

/** The answer to a statement such as SHOW, whose columns have no fixed places. */
export const shown = async (session: SnowflakeSession, statement: string): Promise<ShownRows> => {
  const { columns, stream } = await session.run(statement);
  const names = columns.map((column) => column.getName().toLowerCase());
  const rows = (await stream.toArray()) as readonly (readonly (string | null)[])[];
  return rows.map((row) => new Map(names.map((name, index) => [name, row[index] ?? ''])));
};
