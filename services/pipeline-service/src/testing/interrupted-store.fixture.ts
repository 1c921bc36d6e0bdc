import { PostgresEventStore } from '@penstock/event-sourcing';
import type { EntityManager } from 'typeorm';

/** A store that does something once, when a stream of this kind has been read. */
export const interruptedStore = (
  db: EntityManager,
  kind: string,
  meanwhile: () => Promise<unknown>,
): PostgresEventStore => {
  const store = new PostgresEventStore(db);
  let pending: (() => Promise<unknown>) | undefined = meanwhile;
  return Object.assign(Object.create(store) as PostgresEventStore, {
    read: async <State>(streams: readonly string[]) => {
      const found = await store.read<State>(streams);
      const work = streams.some((name) => name.startsWith(kind)) ? pending : undefined;
      if (work !== undefined) {
        pending = undefined;
        await work();
      }
      return found;
    },
  });
};
