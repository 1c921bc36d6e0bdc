import type { Append, Cause, EventStore, StoredReply, StreamAppend } from './event-store';
import { VersionConflict } from './event-store';

/** Others were first this often: decide while they wait. Twice is chance, more is a hot stream. */
const RACES = 3;

/** What a command leads to: facts on streams, or none when it is already so. */
export interface Decision<Db> {
  readonly streams: readonly StreamAppend[];
  readonly reply: object;
  readonly verify?: Append<Db>['verify'];
  readonly isDryRun?: Append<Db>['isDryRun'];
}

/** What a decision is made on. */
export type Reading<Db> = Pick<EventStore<Db>, 'read' | 'db'>;

/**
 * Read, decide, append: the whole write side. Only a {@link VersionConflict} is tried again, and at last with
 * everybody else waiting. The reply is recorded, also when nothing had to change: a command that was answered
 * before gets the same answer and changes nothing. A dry run goes the same way, up to the append that is undone.
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
    const { streams, ...decision } = await decide(on);
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
