import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { type Client, escapeIdentifier } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { transaction } from '../sql/transaction';

/** A column of a staging table. */
export interface StagedColumn {
  readonly name: string;
  readonly sqlType: string;
}

/** Copies rows into a new staging table. @param stage its name as SQL @param rows as COPY reads them */
export const stageRows = async (
  client: Client,
  stage: string,
  columns: readonly StagedColumn[],
  rows: readonly { readonly text: string }[],
): Promise<void> => {
  const definitions = columns.map(({ name, sqlType }) => `${escapeIdentifier(name)} ${sqlType}`);
  await transaction(client, [
    // Nobody misses the table after a crash.
    'SET LOCAL synchronous_commit = off',
    `CREATE UNLOGGED TABLE ${stage} (${definitions.join(', ')})`,
  ]);
  const text = Buffer.from(rows.map((row) => row.text).join(''));
  await pipeline(Readable.from([text]), client.query(copyFrom(`COPY ${stage} FROM STDIN`)));
};
