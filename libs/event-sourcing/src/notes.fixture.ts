import { type FreshDatabase, freshDatabase } from '@penstock/test-servers';
import { DataSource, type EntityManager } from 'typeorm';
import { CreateAudit1700000000020 } from './audit.migration';
import { IndexAuditSearch1700000000083 } from './audit-search.migration';
import { CreateChain1700000000050 } from './chain.migration';
import { CreateEventStore1700000000000 } from './event-store.migration';
import type { Append, Cause, StreamAppend } from './event-store';
import { FactRow, ReplyRow } from './fact-row';
import { PostgresEventStore } from './postgres-event-store';

/** Writes a view of the facts that carry a note, for use as `project`. */
export const projectNotes: Append<EntityManager>['project'] = async (db, facts) => {
  for (const { position, data } of facts)
    await db.query('INSERT INTO notes VALUES ($1, $2)', [position, JSON.stringify(data)]);
};

export const noted = (
  stream: string,
  version: number,
  ...notes: readonly string[]
): StreamAppend => ({
  stream,
  owner: 'w1',
  version,
  facts: notes.map((note) => ({ type: 'Noted', data: { note }, state: { last: note } })),
});

let commands = 0;

export const aCause = (commandId = `command-${String((commands += 1))}`): Cause => ({
  commandId,
  actor: 'key-1',
  requestId: `request of ${commandId}`,
});

export const anAppend = (
  streams: readonly StreamAppend[],
  rest: Partial<Append<EntityManager>> = {},
): Append<EntityManager> => ({
  streams,
  cause: aCause(),
  reply: { is: 'first' },
  project: projectNotes,
  ...rest,
});

export const ALL = { maxFacts: 100_000, maxBytes: 100_000_000 };

/** A store in a database of its own, with a view. */
export class NotesStore {
  static async open(): Promise<NotesStore> {
    const database = await freshDatabase();
    const source = new DataSource({
      type: 'postgres',
      url: database.url,
      entities: [FactRow, ReplyRow],
      migrations: [
        CreateEventStore1700000000000,
        CreateAudit1700000000020,
        CreateChain1700000000050,
        IndexAuditSearch1700000000083,
      ],
      extra: { max: 12 },
    });
    await source.initialize();
    await source.runMigrations();
    await source.query('CREATE TABLE notes (position bigint PRIMARY KEY, data json)');
    return new NotesStore(database, source);
  }

  readonly store: PostgresEventStore;

  private constructor(
    private readonly database: FreshDatabase,
    readonly source: DataSource,
  ) {
    this.store = new PostgresEventStore(source.manager);
  }

  /** Deletes everything that the specs recorded. */
  async empty(): Promise<void> {
    await this.source.query('TRUNCATE penstock.facts, penstock.replies, penstock.chains, notes');
    await this.source.query(`UPDATE penstock.head SET position = 0, time = 'epoch'`);
  }

  async notes(): Promise<readonly number[]> {
    const rows = await this.source.query<{ position: string }[]>(
      'SELECT position FROM notes ORDER BY position',
    );
    return rows.map(({ position }) => Number(position));
  }

  async close(): Promise<void> {
    await this.source.destroy();
    await this.database.drop();
  }
}
