import { type EntityManager, LessThan, QueryFailedError } from 'typeorm';
import { DryRunDone, Repeated } from './append-all';
import {
  type Append,
  EventStore,
  type FactsLimit,
  type StoredFact,
  type StoredReply,
  type Stream,
  VersionConflict,
} from './event-store';
import { ReplyRow } from './fact-row';
import { Gathering } from './gathering';
import { GroupedAppends } from './grouped-appends';

const UNIQUE_VIOLATION = '23505';
const STREAM_INDEX = 'facts_stream_version';

/** Selects the facts after $1, limited to $2 facts and $3 bytes; at least one. */
const FACTS_WITHIN = `
  WITH page AS (
    SELECT position, stream, version, type, schema_version AS "schemaVersion", time, actor, request_id AS "requestId",
           causation, owner, hash, data, state
    FROM penstock.facts WHERE position > $1 ORDER BY position LIMIT $2),
  sized AS (
    SELECT page.*, row_number() OVER upwards AS nth, sum(octet_length(data::text)) OVER upwards AS data_bytes,
           sum(octet_length(state::text)) OVER upwards AS state_bytes
    FROM page WINDOW upwards AS (ORDER BY position))
  SELECT * FROM sized WHERE nth = 1 OR greatest(data_bytes, state_bytes) <= $3 ORDER BY position`;

interface SizedRow extends Omit<StoredFact, 'position'> {
  readonly position: string;
  readonly nth: string;
  readonly data_bytes: string;
  readonly state_bytes: string;
}

/** Look-ups that share a statement. Each may return a state of half a megabyte. */
const LOOK_UPS_A_STATEMENT = 32;

const REPLIES = `
  SELECT command_id AS command, position, reply FROM penstock.replies WHERE command_id = ANY ($1)`;

/** Runs one index lookup for each stream. */
const NEWEST_STATES = `
  SELECT asked.stream, newest.state, newest.version
  FROM unnest($1::text[]) AS asked (stream)
  CROSS JOIN LATERAL (
    SELECT state, version FROM penstock.facts
    WHERE stream = asked.stream ORDER BY version DESC LIMIT 1) newest`;

const violates = (error: unknown, constraint: string): boolean => {
  if (!(error instanceof QueryFailedError)) return false;
  const cause = error.driverError as { code?: string; constraint?: string };
  return cause.code === UNIQUE_VIOLATION && cause.constraint === constraint;
};

/** PostgreSQL texts cannot contain NUL: no stream has such a name. */
const canBeStored = (text: string): boolean => !text.includes('\0');

const stored = ({
  position,
  nth: _,
  data_bytes: _data,
  state_bytes: _state,
  ...fact
}: SizedRow): StoredFact => ({ ...fact, position: Number(position) });

/** Stores facts, replies and views in one PostgreSQL database, through TypeORM. */
export class PostgresEventStore extends EventStore<EntityManager> {
  private readonly appends: GroupedAppends;
  private readonly reads = new Gathering(
    (calls: readonly (readonly string[])[]) => this.newestOf(calls),
    { most: LOOK_UPS_A_STATEMENT, sizeOf: ({ length }) => length },
  );
  private readonly replies = new Gathering(
    (commandIds: readonly string[]) => this.repliesTo(commandIds),
    { most: LOOK_UPS_A_STATEMENT, sizeOf: () => 1 },
  );

  constructor(override readonly db: EntityManager) {
    super();
    this.appends = new GroupedAppends(db);
  }

  override read<State>(streams: readonly string[]): Promise<readonly Stream<State>[]> {
    return this.reads.get(streams) as Promise<readonly Stream<State>[]>;
  }

  override async append(append: Append<EntityManager>): Promise<StoredReply> {
    try {
      return await this.appends.append(append);
    } catch (error) {
      if (error instanceof DryRunDone) return error.reply;
      if (violates(error, STREAM_INDEX))
        throw new VersionConflict('the stream has grown', { cause: error });
      if (!(error instanceof Repeated)) throw error;
      const reply = await this.replyTo(append.cause.commandId);
      if (reply === undefined) throw error;
      return reply;
    }
  }

  override alone<T>(work: (store: PostgresEventStore) => Promise<T>): Promise<T> {
    return this.db.transaction(async (db) => {
      await db.query('SELECT FROM penstock.head FOR UPDATE');
      return work(new PostgresEventStore(db));
    });
  }

  override replyTo(commandId: string): Promise<StoredReply | undefined> {
    return this.replies.get(commandId);
  }

  override async forgetRepliesBefore(moment: Date): Promise<void> {
    await this.db.delete(ReplyRow, { answeredAt: LessThan(moment) });
  }

  override async factsAfter(
    position: number,
    { maxFacts, maxBytes }: FactsLimit,
  ): Promise<readonly StoredFact[]> {
    const values = [position, maxFacts, maxBytes];
    const rows = await this.db.query<SizedRow[]>(FACTS_WITHIN, values);
    return rows.map(stored);
  }

  override async position(): Promise<number> {
    const [head] = await this.db.query<{ position: string }[]>(
      'SELECT position FROM penstock.head',
    );
    return Number(head?.position ?? 0);
  }

  private async newestOf(
    calls: readonly (readonly string[])[],
  ): Promise<readonly (readonly Stream<unknown>[])[]> {
    const streams = [...new Set(calls.flat())].filter(canBeStored);
    const rows = await this.db.query<(Stream<unknown> & { readonly stream: string })[]>(
      NEWEST_STATES,
      [streams],
    );
    const newest = new Map(rows.map(({ stream, state, version }) => [stream, { state, version }]));
    return calls.map((wanted) =>
      wanted.map((stream) => newest.get(stream) ?? { state: undefined, version: 0 }),
    );
  }

  private async repliesTo(
    commandIds: readonly string[],
  ): Promise<readonly (StoredReply | undefined)[]> {
    const rows = await this.db.query<{ command: string; position: string; reply: object }[]>(
      REPLIES,
      [commandIds.filter(canBeStored)],
    );
    const replies = new Map(
      rows.map(({ command, position, reply }) => [command, { position: Number(position), reply }]),
    );
    return commandIds.map((commandId) => replies.get(commandId));
  }
}
