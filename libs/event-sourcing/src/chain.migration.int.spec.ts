import { freshDatabase } from '@penstock/test-servers';
import { DataSource } from 'typeorm';
import { CreateAudit1700000000020 } from './audit.migration';
import { CHAIN_START, chainHash } from './chain';
import { CreateChain1700000000050 } from './chain.migration';
import { CreateEventStore1700000000000 } from './event-store.migration';
import { FactRow, ReplyRow } from './fact-row';
import { anAppend, noted } from './notes.fixture';
import { PostgresEventStore } from './postgres-event-store';

const connect = async (url: string, ...newer: (typeof CreateChain1700000000050)[]) => {
  const source = await new DataSource({
    type: 'postgres',
    url,
    schema: 'penstock',
    entities: [FactRow, ReplyRow],
    migrations: [CreateEventStore1700000000000, CreateAudit1700000000020, ...newer],
  }).initialize();
  await source.query('CREATE SCHEMA IF NOT EXISTS penstock');
  return source;
};

const project = (): Promise<void> => Promise.resolve();

/** More than a page, of three owners; every seventh has a time that is a minute ahead. */
const OLD_FACTS = `
  INSERT INTO penstock.facts
  SELECT n, 'pen-' || n % 10, n, 'Noted', 1,
         to_char(timestamp '2026-03-01 09:00' + n * interval '1 second'
                 + CASE WHEN n % 7 = 0 THEN interval '1 minute' ELSE interval '0' END, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         'key-1', 'r' || n, 'c' || n, json_build_object('note', 'é' || n), '{}', 'w' || n % 3
  FROM generate_series(1, 2500) n`;

interface Row {
  readonly position: string;
  readonly time: string;
  readonly effective: string;
}

it('hashes the existing facts, and puts their effective times in order', async () => {
  const database = await freshDatabase();
  const old = await connect(database.url);
  await old.runMigrations();
  await old.query(OLD_FACTS);
  await old.query('UPDATE penstock.head SET position = 2500');
  await old.destroy();
  const source = await connect(database.url, CreateChain1700000000050);
  try {
    await source.runMigrations();
    const store = new PostgresEventStore(source.manager);
    await store.append(anAppend([noted('pen-new', 0, 'new')], { project }));

    const facts = await store.factsAfter(0, { maxFacts: 5_000, maxBytes: 10_000_000 });
    expect(facts).toHaveLength(2_501);
    const newest = new Map<string, string>();
    for (const fact of facts) {
      const text =
        fact.position > 2_500
          ? JSON.stringify(fact.data)
          : `{"note" : "é${String(fact.position)}"}`;
      expect(fact.hash).toBe(chainHash(newest.get(fact.owner) ?? CHAIN_START, fact, text));
      newest.set(fact.owner, fact.hash);
    }
    let latest = '';
    const rows = await source.query<Row[]>(
      'SELECT position, time, coalesce(effective_time, time) AS effective FROM penstock.facts ORDER BY position',
    );
    for (const { time, effective } of rows) {
      latest = time > latest ? time : latest;
      expect(effective).toBe(latest);
    }
    await source.undoLastMigration();
  } finally {
    await source.destroy();
    await database.drop();
  }
});

it('migrates an installation without facts', async () => {
  const database = await freshDatabase();
  const source = await connect(database.url, CreateChain1700000000050);
  try {
    await source.runMigrations();
    const store = new PostgresEventStore(source.manager);
    expect(await store.append(anAppend([noted('pen-1', 0, 'new')], { project }))).toMatchObject({
      position: 1,
    });
  } finally {
    await source.destroy();
    await database.drop();
  }
});
