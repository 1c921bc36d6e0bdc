import { snowflakeName, type SnowflakeSession } from '@penstock/databases';
import { mergeIdentities } from '../merging/merge-identities';
import { list, type Place, qualified } from '../sql/names';
import { transaction } from '../sql/transaction';
import { lockWarehouse } from './guard';
import { dropStage, stageNow } from './stages';
import type { TableDefinition } from './table-definition';

/** Rows that have a key in common. */
export interface Duplicates {
  readonly place: Place;
  readonly table: TableDefinition;
  readonly key: readonly string[];
  /** The columns of the profile schema. */
  readonly properties: readonly string[];
}

const RANK = '_RANK';

/** Names of columns of a row as SQL. */
const columnsOf = (row: string, names: readonly string[]): string =>
  names.map((name) => `${row}.${snowflakeName(name)}`).join(', ');

const sameKey = (key: readonly string[], one: string, other: string): string =>
  key
    .map((name) => `${one}.${snowflakeName(name)} = ${other}.${snowflakeName(name)}`)
    .join(' AND ');

const orderOf = ({ name, staying }: TableDefinition, key: readonly string[]): string =>
  staying ?? (name === '_IDENTITIES' ? '"_ID"' : list(key));

/** Takes all rows of keys that more than one row has into a table, with the rank of each. */
const takeOut = async (
  session: SnowflakeSession,
  { place, table, key }: Duplicates,
  spare: string,
): Promise<void> => {
  const at = qualified(place, table.name);
  const names = list(table.columns.map(({ name }) => name));
  await session.rows(
    `INSERT INTO ${spare} (${names}, "${RANK}")
     SELECT ${names}, ROW_NUMBER() OVER (PARTITION BY ${list(key)} ORDER BY ${orderOf(table, key)})
     FROM ${at} QUALIFY COUNT(*) OVER (PARTITION BY ${list(key)}) > 1`,
  );
  await session.rows(`DELETE FROM ${at} AS t USING ${spare} AS s WHERE ${sameKey(key, 't', 's')}`);
};

/** Puts rows back. @param names of their columns; those that are left out get new values. */
const putBack = async (
  session: SnowflakeSession,
  { place, table }: Duplicates,
  spare: string,
  names: readonly string[],
  ranks: string,
): Promise<void> => {
  await session.rows(
    `INSERT INTO ${qualified(place, table.name)} (${list(names)})
     SELECT ${columnsOf('s', names)} FROM ${spare} AS s WHERE s."${RANK}" ${ranks}`,
  );
};

/** Identities of one key are merged into the oldest as their updates would have been. */
const mergeRest = async (
  session: SnowflakeSession,
  { place, properties }: Duplicates,
  spare: string,
): Promise<void> => {
  const ranks = await session.rows(
    `SELECT DISTINCT "${RANK}" FROM ${spare} WHERE "${RANK}" > 1 ORDER BY 1`,
  );
  for (const [rank] of ranks) {
    const source = `(SELECT * FROM ${spare} WHERE "${RANK}" = ${String(Number(rank))})`;
    await mergeIdentities(session, { place, source, properties });
  }
  await session.rows(
    `MERGE INTO ${qualified(place, '_DIRTY')} AS d
     USING (SELECT "_ID" AS ID, MIN("_PROFILE_ID") AS PROFILE FROM ${spare} WHERE "${RANK}" > 1 GROUP BY "_ID") AS g
     ON d."IDENTITY" = g.ID
     WHEN MATCHED THEN UPDATE SET "CHANGE" = 'removed'
     WHEN NOT MATCHED THEN INSERT ("IDENTITY", "SINCE", "CHANGE", "PROFILE_ID")
     VALUES (g.ID, CURRENT_TIMESTAMP(), 'removed', g.PROFILE)`,
  );
};

/**
 * Of rows that have a key in common leaves the first by the order of the table. Identities are merged into it, and rows that are
 * numbered get new numbers.
 */
export const reduceDuplicates = async (
  session: SnowflakeSession,
  duplicates: Duplicates,
): Promise<void> => {
  const { place, table, key } = duplicates;
  const names = table.columns.map(({ name }) => name);
  const spare = await stageNow(session, place);
  await session.rows(
    `CREATE TRANSIENT TABLE ${spare} AS SELECT t.*, 0 AS "${RANK}" FROM ${qualified(place, table.name)} AS t WHERE FALSE`,
  );
  const isNumber = table.columns.some(({ name, numbered }) => name === key[0] && numbered === true);
  await transaction(session, async () => {
    await lockWarehouse(session, place);
    await takeOut(session, duplicates, spare);
    await putBack(session, duplicates, spare, names, '= 1');
    if (isNumber)
      await putBack(
        session,
        duplicates,
        spare,
        names.filter((name) => name !== key[0]),
        '> 1',
      );
    else if (table.name === '_IDENTITIES') await mergeRest(session, duplicates, spare);
  });
  await dropStage(session, spare);
};

/** Whether rows have a key in common. */
export const hasDuplicates = async (
  session: SnowflakeSession,
  place: Place,
  { name }: TableDefinition,
  key: readonly string[],
): Promise<boolean> => {
  const rows = await session.rows(
    `SELECT 1 FROM ${qualified(place, name)} GROUP BY ${list(key)} HAVING COUNT(*) > 1 LIMIT 1`,
  );
  return rows.length > 0;
};
