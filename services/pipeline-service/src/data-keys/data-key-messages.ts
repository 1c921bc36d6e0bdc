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

/** The record of a data key in `configuration.state`. */
export const dataKeyMessage = ({ id, workspace, wrapped }: DataKey): NewMessage => {
  const record: DataKeyRecord = { dataKey: { id, workspace, wrapped } };
  return { key: dataKeyKey(workspace), value: JSON.stringify(record) };
};

/** The tombstone after which compaction removes the record of a data key. */
export const erasureMessage = (workspace: string): NewMessage => ({
  key: dataKeyKey(workspace),
  value: null,
});

/** The present data keys of workspaces, by workspace; erased ones are left out. */
export const dataKeysOf = async (
  db: EntityManager,
  workspaces: readonly WorkspaceId[],
): Promise<ReadonlyMap<string, DataKey>> => {
  const rows =
    workspaces.length === 0 ? [] : await db.findBy(DataKeyRow, { workspace: Any([...workspaces]) });
  return new Map(rows.map((row) => [row.workspace, row]));
};

/** The records of all data keys, then the tombstones of those of deleted workspaces. */
export const allDataKeyMessages = async (db: EntityManager): Promise<NewMessage[]> => {
  const keys = await db.find(DataKeyRow);
  const deleted = await db.find(WorkspaceRow, { select: { id: true }, where: { deleted: true } });
  return [...keys.map(dataKeyMessage), ...deleted.map(({ id }) => erasureMessage(id))];
};
