import { VersionConflict } from '@penstock/event-sourcing';
import { type EntityManager, In } from 'typeorm';
import { ConnectionRow, LinkRow, PipelineRow } from '../read-model/views';

/** Sorted ids of the objects that the deletion of a connection changes. */
export interface Dependents {
  readonly pipelines: readonly string[];
  /** The sources that are linked to it. */
  readonly sources: readonly string[];
}

export const dependentsOf = async (db: EntityManager, connection: string): Promise<Dependents> => {
  const pipelines = await db.find(PipelineRow, { where: { connection }, select: { id: true } });
  const links = await db.findBy(LinkRow, { destination: connection });
  return {
    pipelines: pipelines.map(({ id }) => id).sort(),
    sources: links.map(({ source }) => source).sort(),
  };
};

/**
 * @throws VersionConflict when pipelines or links were added or removed since the decision, so that it is made again.
 */
export const unchanged =
  (connection: string, before: Dependents) =>
  async (db: EntityManager): Promise<void> => {
    const now = await dependentsOf(db, connection);
    if (JSON.stringify(now) !== JSON.stringify(before))
      throw new VersionConflict(`connection ${connection} got another pipeline or link`);
  };

/** @throws VersionConflict when one of the connections was deleted since the decision, so that it is made again. */
export const present =
  (...ids: readonly string[]) =>
  async (db: EntityManager): Promise<void> => {
    const distinct = [...new Set(ids)];
    const count = await db.countBy(ConnectionRow, { id: In(distinct) });
    if (count < distinct.length) throw new VersionConflict('a connection was deleted');
  };
