import type { SnowflakeSession } from '@penstock/databases';
import { catalogue, type Place, qualified, schemaName } from '../sql/names';
import { shown, type ShownRows } from '../sql/shown';

/** A column as the server has it. */
export interface FoundColumn {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

/** A table or a view as the server has it. */
export interface FoundRelation {
  readonly name: string;
  readonly kind: 'TABLE' | 'VIEW';
  readonly columns: readonly FoundColumn[];
  readonly primaryKey: readonly string[];
  readonly uniques: readonly (readonly string[])[];
}

/** Columns of each key of each table, in their order. */
const keysOf = (rows: ShownRows): ReadonlyMap<string, readonly (readonly string[])[]> => {
  const tables = new Map<string, Map<string, [order: number, name: string][]>>();
  for (const row of rows) {
    const [table = '', constraint = ''] = ['table_name', 'constraint_name'].map((name) =>
      row.get(name),
    );
    const keys = tables.get(table) ?? new Map<string, [number, string][]>();
    const key = keys.get(constraint) ?? [];
    key.push([Number(row.get('key_sequence')), row.get('column_name') ?? '']);
    keys.set(constraint, key);
    tables.set(table, keys);
  }
  return new Map(
    [...tables].map(([table, keys]) => [
      table,
      [...keys.values()].map((key) =>
        key.sort(([one], [other]) => one - other).map(([, name]) => name),
      ),
    ]),
  );
};

const columnsOf = async (
  session: SnowflakeSession,
  place: Place,
  name: string,
): Promise<readonly FoundColumn[]> => {
  const rows = await session.rows(`DESCRIBE TABLE ${qualified(place, name)}`);
  return rows.map(([column, type, , nullable]) => ({
    ...{ name: String(column), type: String(type), required: nullable === 'N' },
  }));
};

const namesIn = async (
  session: SnowflakeSession,
  place: Place,
  view: 'TABLES' | 'VIEWS',
): Promise<readonly string[]> => {
  const rows = await session.rows(
    `SELECT TABLE_NAME FROM ${catalogue(place, view)} WHERE TABLE_SCHEMA = ?`,
    [place.schema],
  );
  return rows.map(([name]) => String(name));
};

/** The tables and views of a schema by their names. @param names of those whose columns are looked at. */
export const readCatalogue = async (
  session: SnowflakeSession,
  place: Place,
  names: ReadonlySet<string>,
): Promise<ReadonlyMap<string, FoundRelation>> => {
  const views = new Set(await namesIn(session, place, 'VIEWS'));
  const all = new Set([...(await namesIn(session, place, 'TABLES')), ...views]);
  const schema = schemaName(place);
  const primary = keysOf(await shown(session, `SHOW PRIMARY KEYS IN SCHEMA ${schema}`));
  const unique = keysOf(await shown(session, `SHOW UNIQUE KEYS IN SCHEMA ${schema}`));
  const found = new Map<string, FoundRelation>();
  for (const name of all)
    found.set(name, {
      name,
      kind: views.has(name) ? 'VIEW' : 'TABLE',
      columns: names.has(name) && !views.has(name) ? await columnsOf(session, place, name) : [],
      primaryKey: primary.get(name)?.[0] ?? [],
      uniques: unique.get(name) ?? [],
    });
  return found;
};
