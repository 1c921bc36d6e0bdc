import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { type Client, escapeIdentifier } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { ProfileColumn } from '../columns/profile-columns';
import { transaction } from './statements';
import type { StagedRow } from './reduce-batch';
import { STAGED } from './staged-identity';

/** Copies rows into a new staging table. @param stage its name as SQL */
export const stageRows = async (
  client: Client,
  stage: string,
  columns: readonly ProfileColumn[],
  rows: readonly StagedRow[],
): Promise<void> => {
  const definitions = [
    ...STAGED.map(([name, type]) => `${name} ${type}`),
    ...columns.map(({ name, sqlType }) => `${escapeIdentifier(name)} ${sqlType}`),
  ];
  await transaction(client, [
    // Nobody misses the table after a crash.
    'SET LOCAL synchronous_commit = off',
    `CREATE UNLOGGED TABLE ${stage} (${definitions.join(', ')})`,
  ]);
  const text = Buffer.from(rows.map((row) => row.text).join(''));
  await pipeline(Readable.from([text]), client.query(copyFrom(`COPY ${stage} FROM STDIN`)));
};
