import type { Append, Cause, EventStore, StoredReply, Stream, StreamAppend } from './event-store';
import { VersionConflict } from './event-store';

/** A conflict means "decide again on newer facts"; more than this many in a row means a hot stream. */
const ATTEMPTS = 8;

/** What a command leads to: facts on streams, or nothing when it is already so. */
export interface Decision<Db> {
  readonly streams: readonly StreamAppend[];
  readonly reply: object;
  readonly verify?: Append<Db>['verify'];
}

export type ReadStream = <Fact>(stream: string) => Promise<Stream<Fact>>;

/**
 * Read, decide, append: the whole write side. Only a {@link VersionConflict} is tried again; a command that was
 * answered before gets the same answer.
 */
export const handleCommand = async <Db>(
  store: EventStore<Db>,
  cause: Cause,
  project: Append<Db>['project'],
  decide: (read: ReadStream) => Promise<Decision<Db>>,
): Promise<StoredReply> => {
  const earlier = await store.replyTo(cause.commandId);
  if (earlier !== undefined) return earlier;
  for (let attempt = 1; ; attempt += 1) {
    const { streams, reply, verify } = await decide((stream) => store.read(stream));
    const changed = streams.filter(({ facts }) => facts.length > 0);
    if (changed.length === 0) return { position: await store.position(), reply };
    try {
      return await store.append({
        streams: changed,
        cause,
        reply,
        project,
        ...(verify && { verify }),
      });
    } catch (error) {
      if (!(error instanceof VersionConflict) || attempt === ATTEMPTS) throw error;
    }
  }
};
