import { Refusal, type WorkspaceFact, type WorkspaceState } from '@penstock/contracts';
import { type Reading, VersionConflict } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { type Workspace, workspaceDecider, workspaceStream } from '../domain/workspace.decide';
import { AlertRow } from '../read-model/alert.row';
import { ConnectionRow, PipelineRow } from '../read-model/views';
import { WorkspaceRow } from '../read-model/workspace.row';
import { load, type Loaded } from './decide-on';

/** Loads a workspace. @throws Refusal WorkspaceNotExist, also for a workspace of another organization. */
export const existingWorkspace = async (
  reading: Pick<Reading<EntityManager>, 'read'>,
  id: string,
  organization: string,
): Promise<Loaded<Workspace, WorkspaceFact> & { readonly workspace: WorkspaceState }> => {
  const own = await load(reading, workspaceDecider, workspaceStream(id));
  if (own.state === null || own.state.deleted || own.state.organization !== organization)
    throw new Refusal('WorkspaceNotExist');
  return { ...own, workspace: own.state };
};

/** Checks that a workspace was not deleted since the decision. @throws Refusal WorkspaceNotExist */
export const notDeleted = async (db: EntityManager, workspace: string): Promise<void> => {
  if (await db.existsBy(WorkspaceRow, { id: workspace, deleted: true }))
    throw new Refusal('WorkspaceNotExist');
};

/** Sorted ids of the objects in a workspace. */
export interface Contents {
  readonly connections: readonly string[];
  readonly pipelines: readonly string[];
  readonly alerts: readonly string[];
}

export const contentsOf = async (db: EntityManager, workspace: string): Promise<Contents> => {
  const [select, order] = [{ id: true }, { id: 'ASC' }] as const;
  const connections = await db.find(ConnectionRow, { where: { workspace }, select, order });
  const pipelines = await db.find(PipelineRow, { where: { workspace }, select, order });
  const alerts = await db.find(AlertRow, { where: { workspace }, select, order });
  return {
    connections: connections.map(({ id }) => id),
    pipelines: pipelines.map(({ id }) => id),
    alerts: alerts.map(({ id }) => id),
  };
};

/** @throws VersionConflict when objects were added or removed since the decision, so that it is made again. */
export const contentsUnchanged =
  (workspace: string, before: Contents) =>
  async (db: EntityManager): Promise<void> => {
    if (JSON.stringify(await contentsOf(db, workspace)) !== JSON.stringify(before))
      throw new VersionConflict(`workspace ${workspace} got another connection, pipeline or alert`);
  };
