import type { WorkspaceId } from '@penstock/contracts';
import { CannotStart, SealBroken } from '@penstock/runtime';
import type { EntityManager } from 'typeorm';
import { DataKeyRow } from './data-key.row';
import type { DataKeys } from './data-keys';

/**
 * Checks the secret of this process against a data key of the installation, if there is one. With another secret no API
 * key would be found, and nothing that is sealed could be opened.
 *
 * @throws CannotStart
 */
export const checkSecret = async (db: EntityManager, dataKeys: DataKeys): Promise<void> => {
  const [row] = await db.find(DataKeyRow, { take: 1 });
  if (row === undefined) return;
  const workspace: WorkspaceId = row.workspace;
  try {
    (await dataKeys.of(db, workspace)).seal('', workspace);
  } catch (cause) {
    if (!(cause instanceof SealBroken)) throw cause;
    throw new CannotStart(
      'PENSTOCK_SECRET is not that of the installation: set the one of its first start; if none was set then, it is in the file secret of the data folder',
      { cause },
    );
  }
};
