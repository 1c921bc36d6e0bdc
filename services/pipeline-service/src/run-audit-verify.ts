import type { ChainHead } from '@penstock/contracts';
import { runVerification, type Verified, type VerifiedInstallation } from '@penstock/platform';
import { CannotStart } from '@penstock/runtime';
import { verifyAudit } from './audit/verify-audit';
import { connectDatabase } from './database/database';
import { PIPELINE_SERVICE_VARIABLES } from './pipeline-service-variables';

/**
 * Parses earlier answers of `GET /v1/audit/head`: arguments of the form `<position>:<hash>`.
 *
 * @throws CannotStart naming the first invalid argument.
 */
const headsIn = (given: readonly string[]): ChainHead[] =>
  given.map((text) => {
    const [, position, hash] = /^(\d{1,15}):([\da-f]{64})$/.exec(text) ?? [];
    if (position === undefined || hash === undefined)
      throw new CannotStart(
        `${JSON.stringify(text)} is not <position>:<hash>, as GET /v1/audit/head answers them`,
      );
    return { position: Number(position), hash };
  });

const verify = async ({ databaseUrl, log, logger }: VerifiedInstallation): Promise<Verified> => {
  const heads = headsIn(process.argv.slice(2));
  const database = await connectDatabase(databaseUrl, (reason) => {
    logger.warn(
      { reason: String(reason) },
      'an idle connection to the database was lost; another is opened when it is needed',
    );
  });
  try {
    const { position, objects, ...found } = await verifyAudit(database, log, { heads });
    return { what: `${String(position)} facts of ${String(objects)} objects`, ...found };
  } finally {
    await database.destroy();
  }
};

/** Compares what is stored with the facts of the configuration. */
export const runAuditVerify = (): Promise<void> =>
  runVerification(PIPELINE_SERVICE_VARIABLES, verify);
