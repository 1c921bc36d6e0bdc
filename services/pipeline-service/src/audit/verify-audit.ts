import { type ChainHead, type DataKey, TOPIC } from '@penstock/contracts';
import { FactHistory, PostgresEventStore } from '@penstock/event-sourcing';
import type { LogRecord, MessageLog } from '@penstock/messaging';
import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { DataKeyRow } from '../data-keys/data-key.row';
import { publishedPosition } from '../relay/relay';
import { FactChecks } from './check-facts';
import { StateChecks } from './check-states';
import { TopicChecks } from './check-topic';
import { checkDataKeys, checkViews } from './check-views';
import type { Difference } from './difference';
import { Differences } from './differences';
import type { PositionSet } from './position-set';
import { StoredFacts } from './stored-facts';

/** What a relay that runs has yet to publish is there within this, by default. */
const PUBLISH_TIMEOUT_MS = 10_000;
const LOOK_MS = 50;

export interface Verification {
  /** How far the comparison went. */
  readonly position: number;
  readonly objects: number;
  /** The first of them. */
  readonly differences: readonly Difference[];
  /** How many there are. */
  readonly count: number;
}

const readAll = async (
  log: MessageLog,
  topic: string,
  take: (records: readonly LogRecord[]) => Promise<void>,
): Promise<void> => {
  let failure: { readonly error: unknown } | undefined;
  const reader = await log.follow({
    topic,
    // A batch that is rejected is delivered again: what has failed is told at the end.
    onBatch: async (_, records) => {
      if (failure !== undefined) return;
      await take(records).catch((error: unknown) => (failure = { error }));
    },
  });
  try {
    await reader.caughtUp();
  } finally {
    await reader.stop();
  }
  if (failure !== undefined) throw failure.error;
};

const untilPublished = async (
  log: MessageLog,
  position: number,
  timeoutMs: number,
): Promise<void> => {
  const endMs = performance.now() + timeoutMs;
  while ((await publishedPosition(log)) < position && performance.now() < endMs)
    await pause(LOOK_MS);
};

/** What the database itself has shown, at one moment. */
interface Stored {
  readonly position: number;
  readonly objects: number;
  readonly newest: PositionSet;
  readonly dataKeys: ReadonlyMap<string, DataKey>;
}

/** In one transaction, which sees one moment and can change nothing. */
const checkStored = (database: DataSource, differences: Differences): Promise<Stored> =>
  database.transaction('REPEATABLE READ', async (db) => {
    await db.query('SET TRANSACTION READ ONLY');
    const position = await new PostgresEventStore(db).position();
    const checks = new FactChecks(differences);
    for await (const page of new StoredFacts(db, position).pages())
      for (const fact of page) checks.take(fact);
    checks.end(position, await new FactHistory(db).chainHeads());
    await checkViews(db, differences);
    const rows = await db.find(DataKeyRow);
    const dataKeys = new Map(rows.map((key): [string, DataKey] => [key.workspace, key]));
    await checkDataKeys(db, dataKeys, differences);
    return { position, objects: checks.objects, newest: checks.newest, dataKeys };
  });

const checkRemembered = async (
  facts: StoredFacts,
  heads: readonly ChainHead[],
  differences: Differences,
): Promise<void> => {
  const stored = await facts.at(heads.map(({ position }) => position));
  for (const { position, hash } of heads)
    if (stored.get(position)?.hash !== hash)
      differences.report(
        `penstock.facts position ${String(position)}`,
        'has not the hash that was remembered',
      );
};

/**
 * Checks that the stored facts follow one from the other, and compares every view, the `configuration` topic and the compacted
 * states with them. Reads only, in pages, so that what it holds does not grow with the history; changes may go on meanwhile.
 *
 * @param heads what earlier answers of `GET /v1/audit/head` were.
 */
export const verifyAudit = async (
  database: DataSource,
  log: MessageLog,
  {
    publishTimeoutMs = PUBLISH_TIMEOUT_MS,
    heads = [],
  }: { publishTimeoutMs?: number; heads?: readonly ChainHead[] } = {},
): Promise<Verification> => {
  const differences = new Differences();
  const { position, objects, newest, dataKeys } = await checkStored(database, differences);
  const facts = new StoredFacts(database.manager, position);
  await checkRemembered(facts, heads, differences);
  await untilPublished(log, position, publishTimeoutMs);
  const topic = new TopicChecks(facts, differences);
  await readAll(log, TOPIC.configuration, (records) => topic.take(records));
  topic.end();
  const states = new StateChecks(facts, newest, differences);
  await readAll(log, TOPIC.configurationState, (records) => states.take(records));
  await states.end(dataKeys);
  return { position, objects, differences: differences.named, count: differences.count };
};
