import type { ResolvedBatch } from '../../platform/resolver';
import type { Batch } from './batch';
import { connectNodes } from './connect-nodes';
import { findMembers, joinMembers, takeApart } from './find-joins';
import { giveIds, moveIdentities, writeAliases } from './give-ids';
import { noteKept } from './note-moved';
import { findChanged, writeProfiles } from './profile-values';
import { recordFacts } from './record-facts';
import { replaceKeys, replaceOwners } from './replace-keys';
import { isNothingLeft, removeMarks, takeDirty } from './take-dirty';

const NOTHING: ResolvedBatch = {
  ...{ identities: 0, created: 0, merged: 0, split: 0, deleted: 0 },
  isLast: true,
};

/**
 * Resolves the identities that were changed first, while nobody else writes identities or events.
 *
 * @param until the time, by the server, of the newest changes that are taken.
 *
 * Source: the specification of identities, "The algorithm".
 */
export const resolveBatch = async (
  batch: Batch,
  limit: number,
  until: string,
): Promise<ResolvedBatch> => {
  const identities = await takeDirty(batch, limit, until);
  if (identities === 0) {
    await batch.end();
    return { ...NOTHING, isLast: await isNothingLeft(batch, until) };
  }
  await replaceKeys(batch);
  await replaceOwners(batch);
  await takeApart(batch);
  await findMembers(batch);
  await joinMembers(batch);
  await connectNodes(batch);
  await giveIds(batch);
  await moveIdentities(batch);
  await noteKept(batch);
  await writeAliases(batch);
  await findChanged(batch);
  await writeProfiles(batch);
  const counted = await recordFacts(batch);
  await removeMarks(batch);
  const isLast = await isNothingLeft(batch, until);
  await batch.end();
  return { identities, ...counted, isLast };
};
