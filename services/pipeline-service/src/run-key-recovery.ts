import { runCommand } from '@penstock/platform';
import { ConfigurationError, type PenstockConfig, readPenstockConfig } from '@penstock/runtime';
import { type RecoveredKey, recoverKey } from './organizations/recover-key';
import { PIPELINE_SERVICE_VARIABLES } from './pipeline-service-variables';
import { showKey } from './show-key';

const report = ({ key, organization }: RecoveredKey): void => {
  showKey(key);
  process.stdout.write(
    [
      `It has the scope admin in the organization ${organization}, and works within seconds, or from the next start.`,
      'GET /v1/keys lists all keys; DELETE /v1/keys/:id revokes those that nobody has any more.',
      '',
    ].join('\n'),
  );
};

/**
 * Creates an admin key and prints it once. Works beside a running installation and on a stopped one.
 *
 * @param recover makes the key, see {@link recoverKey}.
 */
export const runKeyRecovery = <Settings extends PenstockConfig>(
  name: string,
  readSettings: () => Settings,
  recover: (settings: Settings) => Promise<RecoveredKey>,
): Promise<void> =>
  runCommand(name, readSettings, async (settings) => {
    report(await recover(settings));
    return 0;
  });

const recoverConfigured = async ({
  DATABASE_URL,
  PENSTOCK_SECRET,
}: PenstockConfig): Promise<RecoveredKey> => {
  if (DATABASE_URL === undefined || PENSTOCK_SECRET === undefined)
    throw new ConfigurationError([
      'DATABASE_URL and PENSTOCK_SECRET must be set, to those of the pipeline service',
    ]);
  return recoverKey(DATABASE_URL, PENSTOCK_SECRET);
};

/** Recovers a key of an installation whose database is given, as in the image. */
export const runRecoverKey = (): Promise<void> =>
  runKeyRecovery(
    'keys-recover',
    () => readPenstockConfig(process.env, PIPELINE_SERVICE_VARIABLES),
    recoverConfigured,
  );
