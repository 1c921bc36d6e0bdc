import type { Instant } from '@penstock/contracts';
import { type DataSource, type EntityManager, MoreThan, QueryFailedError } from 'typeorm';
import {
  type Append,
  EventStore,
  type StoredFact,
  type StoredReply,
  type Stream,
  VersionConflict,
} from './event-store';
import { FactRow, ReplyRow } from './fact-row';

/** The channel on which an append tells that there are new facts. */
export const FACTS_CHANNEL = 'penstock_facts';

/** Shape of `data` of all facts so far. */
const SCHEMA_VERSION = 1;
const UNIQUE_VIOLATION = '23505';
const STREAM_INDEX = 'facts_stream_version';

/** Thrown inside the transaction to undo it: the command was answered before. */
class Repeated extends Error {
  override readonly name = 'Repeated';
}

const violates = (error: unknown, constraint: string): boolean => {
  if (!(error instanceof QueryFailedError)) return false;
  const cause = error.driverError as { code?: string; constraint?: string };
  return cause.code === UNIQUE_VIOLATION && cause.constraint === constraint;
};

const stored = ({ position, time, ...rest }: FactRow): StoredFact => ({
  ...rest,
  position: Number(position),
  time: time as Instant,
});

/** Facts, replies and views in one PostgreSQL database, through TypeORM. */
export class PostgresEventStore extends EventStore<EntityManager> {
  constructor(private readonly database: DataSource) {
    super();
  }

  override async read<Fact>(stream: string): Promise<Stream<Fact>> {
    const rows = await this.database.manager.find(FactRow, {
      where: { stream },
      order: { version: 'ASC' },
    });
    const facts = rows.map(({ type, data }) => ({ type, data }) as Fact);
    return { facts, version: rows.length };
  }

  override async append(append: Append<EntityManager>): Promise<StoredReply> {
    try {
      return await this.database.transaction((db) => this.appendIn(db, append));
    } catch (error) {
      if (violates(error, STREAM_INDEX)) throw new VersionConflict('', { cause: error });
      if (!(error instanceof Repeated)) throw error;
      const reply = await this.replyTo(append.cause.commandId);
      if (reply === undefined) throw error;
      return reply;
    }
  }

  override async replyTo(commandId: string): Promise<StoredReply | undefined> {
    const row = await this.database.manager.findOneBy(ReplyRow, { commandId });
    return row === null ? undefined : { position: Number(row.position), reply: row.reply };
  }

  override async factsAfter(position: number, limit: number): Promise<readonly StoredFact[]> {
    const rows = await this.database.manager.find(FactRow, {
      where: { position: MoreThan(String(position)) },
      order: { position: 'ASC' },
      take: limit,
    });
    return rows.map(stored);
  }

  override async position(): Promise<number> {
    const [head] = await this.database.query<{ position: string }[]>(
      'SELECT position FROM penstock.head',
    );
    return Number(head?.position ?? 0);
  }

  private async appendIn(
    db: EntityManager,
    { streams, cause, reply, verify, project }: Append<EntityManager>,
  ): Promise<StoredReply> {
    const count = streams.reduce((sum, { facts }) => sum + facts.length, 0);
    const last = await this.takePositions(db, count);
    const answered = await db
      .createQueryBuilder()
      .insert()
      .into(ReplyRow)
      .values({
        commandId: cause.commandId,
        position: String(last),
        reply,
        answeredAt: () => 'now()',
      })
      .orIgnore()
      .returning('command_id')
      .execute();
    if ((answered.raw as unknown[]).length === 0) throw new Repeated(cause.commandId);
    await verify?.(db);
    const facts = this.rows(streams, cause, last - count + 1);
    await db.insert(
      FactRow,
      facts.map((fact) => ({ ...fact, position: String(fact.position) })),
    );
    await project(db, facts);
    await db.query(`SELECT pg_notify($1, '')`, [FACTS_CHANNEL]);
    return { position: last, reply };
  }

  /** From here to the commit no other append goes on: positions are gapless and in commit order. */
  private async takePositions(db: EntityManager, count: number): Promise<number> {
    const [rows] = await db.query<[{ position: string }[], number]>(
      'UPDATE penstock.head SET position = position + $1 RETURNING position',
      [count],
    );
    const [head] = rows;
    if (head === undefined) throw new Error('the event store has no head row');
    return Number(head.position);
  }

  private rows(
    streams: Append<EntityManager>['streams'],
    { commandId, actor, requestId, time }: Append<EntityManager>['cause'],
    first: number,
  ): StoredFact[] {
    const placed = streams.flatMap(({ stream, version, facts }) =>
      facts.map((fact, index) => ({ ...fact, stream, version: version + index + 1 })),
    );
    return placed.map(({ type, data, state, stream, version }, index) => ({
      position: first + index,
      stream,
      version,
      type,
      schemaVersion: SCHEMA_VERSION,
      time,
      actor,
      requestId,
      causation: commandId,
      data,
      state,
    }));
  }
}
