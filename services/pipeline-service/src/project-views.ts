import type { ConfigurationState, ConnectionState, PipelineState } from '@penstock/contracts';
import type { StoredFact } from '@penstock/event-sourcing';
import { type EntityManager, In } from 'typeorm';
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

/** A connection takes all its pipelines with it: they go with one statement. */
const projectPipelines = async (
  db: EntityManager,
  states: readonly PipelineState[],
): Promise<void> => {
  const deleted = states.filter((state) => state.deleted).map(({ id }) => id);
  if (deleted.length > 0) await db.delete(PipelineRow, { id: In(deleted) });
  for (const state of states.filter((each) => !each.deleted)) {
    const { id, workspace, connection, enabled } = state;
    await db.upsert(PipelineRow, { id, workspace, connection, enabled, state }, ['id']);
  }
};

/** Writes the views of what the facts have changed: the last state of each object. */
export const projectViews = async (
  db: EntityManager,
  facts: readonly StoredFact[],
): Promise<void> => {
  const newest = new Map(facts.map(({ stream, state }) => [stream, state as ConfigurationState]));
  const states = [...newest.values()];
  for (const state of states) if (state.kind === 'connection') await projectConnection(db, state);
  await projectPipelines(
    db,
    states.filter((state) => state.kind === 'pipeline'),
  );
};
