import { ConfigurationReplica } from '@penstock/contracts';
import type { MessageLog } from '@penstock/messaging';
import { ConfigurationReader, Differences, type Verified } from '@penstock/platform';
import { type SecretBox, Seals } from '@penstock/runtime';
import type { Warehouses } from '@penstock/warehouses';
import { RunWriters } from '../../workers/run-writers';
import { checkLives } from './check-lives';
import { ProfileFold } from './profile-fold';
import { ProfilesTopic } from './profiles-topic';
import { WarehouseComparisons } from './warehouse-comparisons';

/** Of an installation, what the profiles are verified with. */
export interface VerifiedProfiles {
  readonly log: MessageLog;
  readonly warehouses: Pick<Warehouses, 'get'>;
  /** Absent: the settings of warehouses cannot be opened. */
  readonly secrets: SecretBox | undefined;
}

const WITHOUT_SECRET =
  'the warehouses were not compared with the facts of profiles: that needs PENSTOCK_SECRET';

const verify = async (
  { log, warehouses, secrets }: VerifiedProfiles,
  replica: ConfigurationReplica,
): Promise<Verified> => {
  const differences = new Differences();
  const fold = new ProfileFold(differences);
  const topic = new ProfilesTopic(log, fold, differences);
  await topic.readOn();
  const comparisons = new WarehouseComparisons({ fold, topic, differences, replica });
  if (secrets !== undefined) {
    const seals = new Seals(secrets, (workspace) => replica.dataKey(workspace));
    await comparisons.compareAll(new RunWriters({ replica, warehouses, seals }));
  }
  const exists = (workspace: string): boolean => replica.workspace(workspace) !== undefined;
  for (const workspace of fold.told)
    if (!comparisons.checked.has(workspace))
      checkLives(fold, workspace, { isWhole: false, exists });
  const what = `${String(fold.facts)} facts of ${String(fold.profiles)} profiles, ${comparisons.what}`;
  return {
    ...{ what, differences: differences.named, count: differences.count },
    left: secrets === undefined ? [WITHOUT_SECRET] : comparisons.left,
    isPartial: comparisons.isPartial,
  };
};

/**
 * Folds the facts on the topic of profiles, and compares the profiles that live by them with those in each warehouse, which
 * may be resolved meanwhile. Without the secret the facts are compared with each other only.
 */
export const verifyProfiles = async (verified: VerifiedProfiles): Promise<Verified> => {
  const replica = new ConfigurationReplica({ isCompressed: true });
  const reader = new ConfigurationReader(verified.log, replica, () => undefined);
  await reader.start();
  try {
    if (!(await reader.catchUp())) throw new Error('the configuration cannot be read');
    return await verify(verified, replica);
  } finally {
    await reader.stop();
  }
};
