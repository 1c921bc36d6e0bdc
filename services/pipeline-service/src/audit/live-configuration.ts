import { PostgresEventStore, type StoredFact } from '@penstock/event-sourcing';
import type { DataSource, EntityManager } from 'typeorm';
import type { DataKey } from '@penstock/contracts';
import { DataKeyRow } from '../data-keys/data-key.row';
import type { View } from '../read-model/view';
import { VIEWS } from '../read-model/views';

const FACTS_A_READ = { maxFacts: 500, maxBytes: 16_000_000 };

/** A view with its rows as they are, by primary key. */
export interface LiveView {
  readonly view: View;
  readonly table: string;
  readonly keyOf: (row: object) => string;
  readonly rows: ReadonlyMap<string, object>;
}

/** What the database holds, at one moment. */
export interface LiveConfiguration {
  readonly position: number;
  /** By position. */
  readonly facts: ReadonlyMap<number, StoredFact>;
  readonly views: readonly LiveView[];
  /** By workspace. */
  readonly dataKeys: ReadonlyMap<string, DataKey>;
}

const factsOf = async (store: PostgresEventStore): Promise<Map<number, StoredFact>> => {
  const facts = new Map<number, StoredFact>();
  for (let last = 0; ;) {
    const found = await store.factsAfter(last, FACTS_A_READ);
    for (const fact of found) facts.set(fact.position, fact);
    if (found.length === 0) return facts;
    last = found.at(-1)?.position ?? last;
  }
};

const liveView = async (db: EntityManager, view: View): Promise<LiveView> => {
  const { tablePath, primaryColumns } = db.dataSource.getMetadata(view.row);
  const keyOf = (row: object): string => {
    const members = new Map<string, unknown>(Object.entries(row));
    return primaryColumns.map(({ propertyName }) => String(members.get(propertyName))).join(' ');
  };
  const rows = await db.find(view.row);
  return { view, table: tablePath, keyOf, rows: new Map(rows.map((row) => [keyOf(row), row])) };
};

/** Reads all of it in one transaction, which sees one moment and can change nothing. */
export const liveConfiguration = (database: DataSource): Promise<LiveConfiguration> =>
  database.transaction('REPEATABLE READ', async (db) => {
    await db.query('SET TRANSACTION READ ONLY');
    const store = new PostgresEventStore(db);
    const position = await store.position();
    const facts = await factsOf(store);
    const views: LiveView[] = [];
    for (const view of VIEWS) views.push(await liveView(db, view));
    const dataKeys = await db.find(DataKeyRow);
    return {
      position,
      facts,
      views,
      dataKeys: new Map(dataKeys.map((key) => [key.workspace, key])),
    };
  });
