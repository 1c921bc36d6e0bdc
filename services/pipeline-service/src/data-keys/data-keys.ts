import { type DataKey, Refusal, type WorkspaceId } from '@penstock/contracts';
import type { EventStore } from '@penstock/event-sourcing';
import { newDataKey, Seals, SecretBox } from '@penstock/runtime';
import type { EntityManager } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { DataKeyRow } from './data-key.row';

const WITHOUT = `
  SELECT id FROM penstock.workspaces
  WHERE NOT deleted AND id NOT IN (SELECT workspace FROM penstock.data_keys)`;

/** A data key that is not stored yet, with seals under it. */
export interface NewKey {
  readonly key: DataKey;
  readonly seals: Seals;
}

/**
 * The data keys of workspaces (docs/adr/0010). They are read each time, so that a key that another process has erased
 * is no longer used.
 */
@Injectable()
export class DataKeys {
  constructor(private readonly secrets: SecretBox) {}

  /** Generates the key of a new workspace, to be stored by {@link keep} in the transaction that creates it. */
  make(workspace: WorkspaceId): NewKey {
    const key = newDataKey(this.secrets, workspace);
    return { key, seals: this.sealsUnder(key) };
  }

  /** The seals of a workspace. @throws Refusal WorkspaceNotExist when it has no key, or no longer. */
  async of(db: EntityManager, workspace: string): Promise<Seals> {
    const key = await db.findOneBy(DataKeyRow, { workspace: workspace as WorkspaceId });
    if (key === null) throw new Refusal('WorkspaceNotExist');
    return this.sealsUnder(key);
  }

  /** Stores a key, in the transaction of `WorkspaceCreated`. */
  async keep(db: EntityManager, { workspace, id, wrapped }: DataKey): Promise<void> {
    await db.insert(DataKeyRow, { workspace, id, wrapped });
  }

  /** Deletes the key of a workspace, in the transaction of `WorkspaceDeleted`. */
  async erase(db: EntityManager, workspace: WorkspaceId): Promise<void> {
    await db.delete(DataKeyRow, { workspace });
  }

  /** Generates the keys of workspaces that were created by versions without data keys. */
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
