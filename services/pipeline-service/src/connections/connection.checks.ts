import { VersionConflict } from '@penstock/event-sourcing';
import { type EntityManager, In } from 'typeorm';
import { ConnectionRow, LinkRow, PipelineRow } from '../read-model/views';

/** What goes with a connection when it is deleted, sorted ids. */
export interface Dependents {
  readonly pipelines: readonly string[];
  /** Sources linked to it. */
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

/** Decided on all of them: one that came in between means deciding again. */
export const unchanged =
  (connection: string, before: Dependents) =>
  async (db: EntityManager): Promise<void> => {
    const now = await dependentsOf(db, connection);
    if (JSON.stringify(now) !== JSON.stringify(before))
      throw new VersionConflict(`connection ${connection} got another pipeline or link`);
  };

/** None of the connections was deleted in between: deciding again says what that means. */
export const present =
  (...ids: readonly string[]) =>
  async (db: EntityManager): Promise<void> => {
    const distinct = [...new Set(ids)];
    const count = await db.countBy(ConnectionRow, { id: In(distinct) });
    if (count < distinct.length) throw new VersionConflict('a connection was deleted');
  };
