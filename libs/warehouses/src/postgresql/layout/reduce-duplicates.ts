import type { Client } from 'pg';
import { mergeIdentities } from '../merging/merge-identities';
import { list, qualified } from '../sql/names';
import type { TableDefinition } from './table-definition';

/** Of rows that have a key in common, leaves one. */
export type Reduce = (
  client: Client,
  schema: string,
  table: TableDefinition,
  key: readonly string[],
) => Promise<void>;

/** Rows of a table with the rank of each among those of its key. */
const ranked = (table: string, key: readonly string[], order: string): string =>
  `(SELECT ctid AS place, row_number() OVER (PARTITION BY ${list(key)} ORDER BY ${order}) AS rank
    FROM ${table}) AS ranks`;

/** The first stays, by the order of the table. */
const keepFirst: Reduce = async (client, schema, { name, staying }, key) => {
  const table = qualified(schema, name);
  const order = [...(staying === undefined ? [] : [staying]), 'ctid'].join(', ');
  await client.query(
    `DELETE FROM ${table} WHERE ctid IN (SELECT place FROM ${ranked(table, key, order)} WHERE rank > 1)`,
  );
};

/** Numbers are given out again: nothing else tells the rows apart. */
const numberAgain: Reduce = async (client, schema, { name }, key) => {
  const table = qualified(schema, name);
  await client.query(
    `UPDATE ${table} SET ${list(key)} = DEFAULT
     WHERE ctid IN (SELECT place FROM ${ranked(table, key, 'ctid')} WHERE rank > 1)`,
  );
};

const SPARE = '_stage_duplicates';

/** Identities of one key are merged into the oldest as their updates would have been. */
const mergeDuplicates =
  (properties: readonly string[]): Reduce =>
  async (client, schema, { name }, key) => {
    const [table, spare] = [qualified(schema, name), qualified(schema, SPARE)];
    await client.query(
      `CREATE TABLE ${spare} AS SELECT t.*, ranks.rank
       FROM ${table} AS t JOIN ${ranked(table, key, '_id')} ON ranks.place = t.ctid WHERE ranks.rank > 1`,
    );
    await client.query(`DELETE FROM ${table} WHERE _id IN (SELECT _id FROM ${spare})`);
    const { rows } = await client.query<{ rank: string }>(
      `SELECT DISTINCT rank FROM ${spare} ORDER BY rank`,
    );
    for (const { rank } of rows) {
      const source = `(SELECT * FROM ${spare} WHERE rank = ${rank})`;
      for (const statement of mergeIdentities({ schema, source, properties }))
        await client.query(statement);
    }
    await client.query(
      `INSERT INTO ${qualified(schema, '_dirty')} (identity, change, profile_id)
       SELECT _id, 'removed', _profile_id FROM ${spare}
       ON CONFLICT (identity) DO UPDATE SET change = excluded.change`,
    );
    await client.query(`DROP TABLE ${spare}`);
  };

/** How the rows of each table are reduced. @param properties the columns of the profile schema. */
export const reduceBy =
  (properties: readonly string[]): Reduce =>
  async (client, schema, table, key) => {
    const isNumber = table.columns.some(
      ({ name, numbered }) => name === key[0] && numbered === true,
    );
    if (isNumber) await numberAgain(client, schema, table, key);
    else if (table.name === '_identities')
      await mergeDuplicates(properties)(client, schema, table, key);
    else await keepFirst(client, schema, table, key);
  };
