import { reachEmbeddedPostgres } from '@penstock/embedded-postgres';
import { recoverKey, type RecoveredKey, runKeyRecovery } from '@penstock/pipeline-service';
import { CannotStart, type PenstockConfig, readPenstockConfig } from '@penstock/runtime';
import { resolve } from 'node:path';
import { readSecret } from '@penstock/platform';
import { STANDALONE_VARIABLES } from './standalone-variables';

/** Uses the server of a running Penstock, or starts that of the data folder for the time. */
const recoverEmbedded = async (
  dataDir: string,
  configured: string | undefined,
): Promise<RecoveredKey> => {
  const secret = configured ?? (await readSecret(dataDir));
  if (secret === undefined)
    throw new CannotStart(
      `${dataDir} has no secret, so that no Penstock has started with it: set PENSTOCK_DATA to the data folder, or DATABASE_URL`,
    );
  const { url, release } = await reachEmbeddedPostgres(dataDir);
  try {
    return await recoverKey(url, secret);
  } finally {
    await release();
  }
};

const recover = ({
  DATABASE_URL,
  PENSTOCK_SECRET,
  PENSTOCK_DATA,
}: PenstockConfig): Promise<RecoveredKey> =>
  DATABASE_URL !== undefined && PENSTOCK_SECRET !== undefined
    ? recoverKey(DATABASE_URL, PENSTOCK_SECRET)
    : recoverEmbedded(resolve(PENSTOCK_DATA), PENSTOCK_SECRET);

/** Recovers a key of the configured database, or of that in the data folder. */
export const runRecoverKey = (): Promise<void> =>
  runKeyRecovery(
    'keys:recover',
    () => readPenstockConfig(process.env, STANDALONE_VARIABLES),
    recover,
  );
