import { PostgresEventStore, VersionConflict } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';
import type { Loaded } from './decide-on';

/**
 * Checks that streams which a decision was based on, and to which it appends nothing, have not changed since.
 *
 * @throws VersionConflict, so that the decision is made again.
 */
export const unchangedStreams =
  (based: readonly Pick<Loaded<unknown, never>, 'stream' | 'version'>[]) =>
  async (db: EntityManager): Promise<void> => {
    const now = await new PostgresEventStore(db).read(based.map(({ stream }) => stream));
    now.forEach(({ version }, index) => {
      const before = based[index];
      if (before?.version !== version) throw new VersionConflict(`${before?.stream ?? ''} changed`);
    });
  };
