import type { ConfigurationState, ConnectionState, PipelineState } from '@penstock/contracts';
import type { StoredFact } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import { ConnectionRow, LinkRow, PipelineRow } from './views';

const projectConnection = async (db: EntityManager, state: ConnectionState): Promise<void> => {
  const { id, workspace, links } = state;
  await db.delete(LinkRow, { source: id });
  if (state.deleted) {
    await db.delete(ConnectionRow, { id });
    return;
  }
  await db.upsert(ConnectionRow, { id, workspace, state }, ['id']);
  if (links.length > 0)
    await db.insert(
      LinkRow,
      links.map((destination) => ({ source: id, destination })),
    );
};

const projectPipeline = async (db: EntityManager, state: PipelineState): Promise<void> => {
  const { id, workspace, connection, enabled } = state;
  if (state.deleted) await db.delete(PipelineRow, { id });
  else await db.upsert(PipelineRow, { id, workspace, connection, enabled, state }, ['id']);
};

/** Writes the views of what the facts have changed: the last state of each object. */
export const projectViews = async (
  db: EntityManager,
  facts: readonly StoredFact[],
): Promise<void> => {
  const newest = new Map(facts.map(({ stream, state }) => [stream, state as ConfigurationState]));
  for (const state of newest.values()) {
    if (state.kind === 'connection') await projectConnection(db, state);
    else if (state.kind === 'pipeline') await projectPipeline(db, state);
  }
};
