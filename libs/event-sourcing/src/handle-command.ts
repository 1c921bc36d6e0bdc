import type { Append, Cause, EventStore, StoredReply, Stream, StreamAppend } from './event-store';
import { VersionConflict } from './event-store';

/**
 * Number of lost races after which the decision runs while other appends wait. Two may be chance; more mean a hot
 * stream.
 */
const RACES = 3;

/** What a command leads to: facts on streams, or none when nothing has to change. */
export interface Decision<Db> {
  readonly streams: readonly StreamAppend[];
  readonly reply: object;
  readonly verify?: Append<Db>['verify'];
  readonly isDryRun?: Append<Db>['isDryRun'];
}

/** What a decision may read. */
export type Reading<Db> = Pick<EventStore<Db>, 'read' | 'db'>;

/**
 * Shows each stream as it was when it was read first: an append checks the version of one reading, and what was decided on
 * another one would not be checked.
 */
const readOnce = <Db>(store: Reading<Db>): Reading<Db> => {
  const known = new Map<string, Stream<unknown>>();
  return {
    db: store.db,
    read: async <State>(streams: readonly string[]) => {
      const missing = streams.filter((name) => !known.has(name));
      const found = missing.length === 0 ? [] : await store.read<State>(missing);
      for (const [index, stream] of found.entries()) {
        const name = missing[index] ?? '';
        if (!known.has(name)) known.set(name, stream);
      }
      return streams.map((name) => known.get(name) as Stream<State>);
    },
  };
};

/**
 * Executes a command: reads, decides, appends. Only a {@link VersionConflict} is retried, the last time while all other
 * appends wait. The reply is recorded even when nothing had to change: a repeated command gets the same answer and
 * changes nothing. A dry run takes the same path, up to the append, which is rolled back.
 */
export const handleCommand = async <Db>(
  store: EventStore<Db>,
  cause: Cause,
  project: Append<Db>['project'],
  decide: (reading: Reading<Db>) => Promise<Decision<Db>>,
): Promise<StoredReply> => {
  const attempt = async (on: EventStore<Db>): Promise<StoredReply> => {
    const earlier = await on.replyTo(cause.commandId);
    if (earlier !== undefined) return earlier;
    const { streams, ...decision } = await decide(readOnce(on));
    const changed = streams.filter(({ facts }) => facts.length > 0);
    return on.append({ ...decision, streams: changed, cause, project });
  };
  for (let race = 1; race <= RACES; race += 1)
    try {
      return await attempt(store);
    } catch (error) {
      if (!(error instanceof VersionConflict)) throw error;
    }
  return store.alone(attempt);
};
