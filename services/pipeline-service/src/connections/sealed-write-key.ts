import type { EventWriteKey, WorkspaceId } from '@penstock/contracts';
import type { EntityManager } from 'typeorm';
import type { DataKeys } from '../data-keys/data-keys';

/** Returns a write key sealed under the data key of its workspace, whichever key the gateway sealed it under. */
export const sealedWriteKey = async (
  db: EntityManager,
  dataKeys: DataKeys,
  { hash, sealed }: EventWriteKey,
  workspace: WorkspaceId,
): Promise<EventWriteKey> => {
  const seals = await dataKeys.of(db, workspace);
  return { hash, sealed: seals.kept(sealed, workspace) };
};
