import type { ResolvedBatch } from '../../platform/resolver';
import type { Batch } from './batch';
import { connectNodes } from './connect-nodes';
import { findMembers, joinMembers, takeApart } from './find-joins';
import { giveIds, moveIdentities, writeAliases } from './give-ids';
import { noteMoved } from './note-moved';
import { findChanged, writeProfiles } from './profile-values';
import { recordFacts } from './record-facts';
import { replaceKeys } from './replace-keys';
import { isNothingLeft, removeMarks, takeDirty } from './take-dirty';

const NOTHING = { identities: 0, created: 0, merged: 0, split: 0, deleted: 0 };

/**
 * Resolves the identities that were changed first, within a transaction that has the lock of the warehouse.
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
  if (identities === 0) return { ...NOTHING, isLast: await isNothingLeft(batch, until) };
  await replaceKeys(batch);
  await takeApart(batch);
  await findMembers(batch);
  await joinMembers(batch);
  await connectNodes(batch);
  await giveIds(batch);
  await moveIdentities(batch);
  await noteMoved(batch);
  await findChanged(batch);
  await writeAliases(batch);
  const counted = await recordFacts(batch);
  await writeProfiles(batch);
  await removeMarks(batch);
  return { identities, ...counted, isLast: await isNothingLeft(batch, until) };
};
