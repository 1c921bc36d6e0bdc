import { reachEmbeddedPostgres } from '@penstock/embedded-postgres';
import { recoverKey, type RecoveredKey } from '@penstock/pipeline-service';
import { explainFailedStart } from '@penstock/platform';
import { CannotStart, type PenstockConfig, readPenstockConfig } from '@penstock/runtime';
import { resolve } from 'node:path';
import { readSecret } from './own-secret';
import { STANDALONE_VARIABLES } from './standalone-variables';

const NAME = 'keys:recover';

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

const report = ({ key, organization }: RecoveredKey): string =>
  [
    `API key, shown this once: ${key}`,
    `It has the scope admin in the organization ${organization}, and works within seconds, or from the next start.`,
    'GET /v1/keys lists all keys; DELETE /v1/keys/:id revokes those that nobody has any more.',
    '',
  ].join('\n');

/** Creates an admin key and prints it once. Works beside a running installation and on a stopped one. */
export const runRecoverKey = async (): Promise<void> => {
  let config: PenstockConfig | undefined;
  try {
    config = readPenstockConfig(process.env, STANDALONE_VARIABLES);
    process.stdout.write(report(await recover(config)));
  } catch (error) {
    const line = explainFailedStart(error, config);
    if (line === undefined) throw error;
    process.stderr.write(`${NAME}: ${line}\n`);
    process.exitCode = 1;
  }
};
