import {
  type DataKey,
  dataKeyKey,
  type DataKeyRecord,
  type WorkspaceId,
} from '@penstock/contracts';
import type { NewMessage } from '@penstock/messaging';
import { Any, type EntityManager } from 'typeorm';
import { WorkspaceRow } from '../read-model/workspace.row';
import { DataKeyRow } from './data-key.row';

/** As it stands in `configuration.state`. */
export const dataKeyMessage = ({ id, workspace, wrapped }: DataKey): NewMessage => {
  const record: DataKeyRecord = { dataKey: { id, workspace, wrapped } };
  return { key: dataKeyKey(workspace), value: JSON.stringify(record) };
};

/** Compaction forgets the key that it follows. */
export const erasureMessage = (workspace: string): NewMessage => ({
  key: dataKeyKey(workspace),
  value: null,
});

/** Those that the workspaces have now; none of one that was erased. */
export const dataKeysOf = async (
  db: EntityManager,
  workspaces: readonly WorkspaceId[],
): Promise<ReadonlyMap<string, DataKey>> => {
  const rows =
    workspaces.length === 0 ? [] : await db.findBy(DataKeyRow, { workspace: Any([...workspaces]) });
  return new Map(rows.map((row) => [row.workspace, row]));
};

/** All that is to be known of data keys: those that there are, then the erasure of those of deleted workspaces. */
export const allDataKeyMessages = async (db: EntityManager): Promise<NewMessage[]> => {
  const keys = await db.find(DataKeyRow);
  const deleted = await db.find(WorkspaceRow, { select: { id: true }, where: { deleted: true } });
  return [...keys.map(dataKeyMessage), ...deleted.map(({ id }) => erasureMessage(id))];
};
