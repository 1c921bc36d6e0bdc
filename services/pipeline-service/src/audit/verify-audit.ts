import { type ChainHead, type DataKey, TOPIC } from '@penstock/contracts';
import { FactHistory, PostgresEventStore } from '@penstock/event-sourcing';
import type { MessageLog } from '@penstock/messaging';
import { type Difference, Differences, type PositionSet, readTopic } from '@penstock/platform';
import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { DataKeyRow } from '../data-keys/data-key.row';
import { publishedPosition } from '../relay/relay';
import { FactChecks } from './check-facts';
import { StateChecks } from './check-states';
import { TopicChecks } from './check-topic';
import { checkDataKeys, checkViews } from './check-views';
import { StoredFacts } from './stored-facts';

/** Default time for a running relay to publish the facts that are not yet on the log. */
const PUBLISH_TIMEOUT_MS = 10_000;
const POLL_MS = 50;

export interface Verification {
  /** The position up to which facts were verified. */
  readonly position: number;
  readonly objects: number;
  /** The first differences. */
  readonly differences: readonly Difference[];
  /** The number of all differences. */
  readonly count: number;
}

const untilPublished = async (
  log: MessageLog,
  position: number,
  timeoutMs: number,
): Promise<void> => {
  const endMs = performance.now() + timeoutMs;
  while ((await publishedPosition(log)) < position && performance.now() < endMs)
    await pause(POLL_MS);
};

/** The result of the checks within the database, at one moment. */
interface Stored {
  readonly position: number;
  readonly objects: number;
  readonly newest: PositionSet;
  readonly dataKeys: ReadonlyMap<string, DataKey>;
}

/** Checks facts, views and data keys in one read-only transaction, which sees one moment. */
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

const checkHeads = async (
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
 * Checks that the stored facts follow from each other, and compares every view, the `configuration` topic and the
 * compacted states with them. It only reads, in pages of bounded memory; the configuration may be changed meanwhile.
 *
 * @param heads earlier answers of `GET /v1/audit/head`.
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
  await checkHeads(facts, heads, differences);
  await untilPublished(log, position, publishTimeoutMs);
  const topic = new TopicChecks(facts, differences);
  await readTopic(log, TOPIC.configuration, (records) => topic.take(records));
  topic.end();
  const states = new StateChecks(facts, newest, differences);
  await readTopic(log, TOPIC.configurationState, (records) => states.take(records));
  await states.end(dataKeys);
  return { position, objects, differences: differences.named, count: differences.count };
};
