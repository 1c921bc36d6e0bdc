import { type DataKey, Refusal, type WorkspaceId } from '@penstock/contracts';
import type { EventStore } from '@penstock/event-sourcing';
import { newDataKey, Seals, SecretBox } from '@penstock/runtime';
import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { DataKeyRow } from './data-key.row';

const WITHOUT = `
  SELECT id FROM penstock.workspaces
  WHERE NOT deleted AND id NOT IN (SELECT workspace FROM penstock.data_keys)`;

/** A data key before it is kept, and what seals under it already. */
export interface NewKey {
  readonly key: DataKey;
  readonly seals: Seals;
}

/**
 * The data keys of workspaces (docs/adr/0010). They are read anew each time: one that another process has erased is used
 * no more.
 */
@Injectable()
export class DataKeys {
  constructor(private readonly secrets: SecretBox) {}

  /** For a workspace that is to be made: to be {@link keep}t in the transaction that makes it. */
  make(workspace: WorkspaceId): NewKey {
    const key = newDataKey(this.secrets, workspace);
    return { key, seals: this.sealsUnder(key) };
  }

  /** @throws Refusal WorkspaceNotExist when it has none (any more). */
  async of(db: EntityManager, workspace: string): Promise<Seals> {
    const key = await db.findOneBy(DataKeyRow, { workspace: workspace as WorkspaceId });
    if (key === null) throw new Refusal('WorkspaceNotExist');
    return this.sealsUnder(key);
  }

  /** With `WorkspaceCreated`, in its transaction. */
  async keep(db: EntityManager, { workspace, id, wrapped }: DataKey): Promise<void> {
    await db.insert(DataKeyRow, { workspace, id, wrapped });
  }

  /** With `WorkspaceDeleted`, in its transaction. */
  async erase(db: EntityManager, workspace: WorkspaceId): Promise<void> {
    await db.delete(DataKeyRow, { workspace });
  }

  /** Gives a key to the workspaces that were made before there were any. */
  async provide(store: EventStore<EntityManager>): Promise<void> {
    const bare = (db: EntityManager) => db.query<{ id: WorkspaceId }[]>(WITHOUT);
    if ((await bare(store.db)).length === 0) return;
    await store.alone(async ({ db }) => {
      for (const { id } of await bare(db)) await this.keep(db, newDataKey(this.secrets, id));
    });
  }

  private sealsUnder(key: DataKey): Seals {
    return new Seals(this.secrets, (workspace) => (workspace === key.workspace ? key : undefined));
  }
}
