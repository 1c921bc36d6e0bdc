import { setTimeout as pause } from 'node:timers/promises';
import {
  type DataKey,
  dataKeyKey,
  type DataKeyRecord,
  type StateRecord,
  TOPIC,
  workspaceOfDataKey,
} from '@penstock/contracts';
import type { LogRecord, MessageLog } from '@penstock/messaging';
import type { DataSource } from 'typeorm';
import { publishedPosition } from '../relay/relay';
import { compare, type Difference } from './difference';
import { type LiveConfiguration, liveConfiguration, type LiveView } from './live-configuration';
import { type Rebuilt, rebuild } from './rebuild';
import { TopicFacts } from './topic-facts';

/** What a relay that runs has yet to publish is there within this, by default. */
const PUBLISH_TIMEOUT_MS = 10_000;
const LOOK_MS = 50;

export interface Verification {
  /** How far the comparison went. */
  readonly position: number;
  readonly objects: number;
  readonly differences: readonly Difference[];
}

const readAll = async (
  log: MessageLog,
  topic: string,
  take: (record: LogRecord) => void,
): Promise<void> => {
  const reader = await log.follow({
    topic,
    onBatch: (_, records) => {
      for (const record of records) take(record);
      return Promise.resolve();
    },
  });
  try {
    await reader.caughtUp();
  } finally {
    await reader.stop();
  }
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

const compareFacts = (
  facts: readonly { readonly position: number }[],
  { states }: Rebuilt,
  live: LiveConfiguration,
): Difference[] => {
  const expected = facts.map((fact): [number, object] => {
    const state = states.get(fact.position);
    return [fact.position, { ...fact, ...(state && { state }) }];
  });
  const actual = [...live.facts].map(([position, { owner: _, ...fact }]): [number, object] => [
    position,
    fact,
  ]);
  const where = (position: number): string => `penstock.facts position ${String(position)}`;
  return compare(where, new Map(expected), new Map(actual));
};

const compareView = ({ view, table, keyOf, rows }: LiveView, { newest }: Rebuilt): Difference[] => {
  const own = [...newest.values()].filter(({ kind }) => kind === view.kind);
  const expected = own.flatMap(view.rowsOf).map((row): [string, object] => [keyOf(row), row]);
  return compare((key) => `${table} ${key}`, new Map(expected), rows);
};

/** The last record of each key is what compaction keeps; those of changes that came meanwhile do not count. */
const compareRecords = async (
  log: MessageLog,
  { records }: Rebuilt,
  { position, dataKeys }: LiveConfiguration,
): Promise<Difference[]> => {
  const found = new Map<string, StateRecord>();
  const foundKeys = new Map<string, DataKey>();
  await readAll(log, TOPIC.configurationState, ({ key, value }) => {
    const workspace = workspaceOfDataKey(key);
    if (value === null) found.delete(key);
    else if (workspace === undefined) found.set(key, JSON.parse(value) as StateRecord);
    if (workspace === undefined) return;
    if (value === null) foundKeys.delete(workspace);
    else foundKeys.set(workspace, (JSON.parse(value) as DataKeyRecord).dataKey);
  });
  const expected = new Map(records);
  const expectedKeys = new Map(dataKeys);
  for (const [key, { position: at, state }] of found)
    if (at > position) {
      for (const map of [found, expected]) map.delete(key);
      for (const map of [foundKeys, expectedKeys]) map.delete(state.id);
    }
  const where = (key: string): string => `${TOPIC.configurationState} ${key}`;
  return [
    ...compare(where, expected, found),
    ...compare((workspace) => where(dataKeyKey(workspace)), expectedKeys, foundKeys),
  ];
};

/** A workspace that is there has a data key, one that was deleted has none any more. */
const compareDataKeys = ({ newest }: Rebuilt, { dataKeys }: LiveConfiguration): Difference[] => {
  const there = [...newest.values()].filter((each) => each.kind === 'workspace' && !each.deleted);
  return compare(
    (workspace) => `penstock.data_keys ${workspace}`,
    new Map(there.map(({ id: workspace }): [string, object] => [workspace, { workspace }])),
    new Map([...dataKeys.values()].map(({ workspace }) => [workspace, { workspace }])),
  );
};

/**
 * Rebuilds every view and the compacted states from the `configuration` topic alone and compares them with what is
 * live, the recorded facts included. Reads only; changes may go on meanwhile.
 */
export const verifyAudit = async (
  database: DataSource,
  log: MessageLog,
  publishTimeoutMs = PUBLISH_TIMEOUT_MS,
): Promise<Verification> => {
  const live = await liveConfiguration(database);
  const { position } = live;
  await untilPublished(log, position, publishTimeoutMs);
  const topic = new TopicFacts();
  await readAll(log, TOPIC.configuration, ({ value }) => {
    topic.take(value ?? '');
  });
  const facts = topic.upTo(position);
  const rebuilt = rebuild(facts);
  return {
    position,
    objects: rebuilt.newest.size,
    differences: [
      ...topic.differences,
      ...rebuilt.differences,
      ...compareFacts(facts, rebuilt, live),
      ...live.views.flatMap((view) => compareView(view, rebuilt)),
      ...compareDataKeys(rebuilt, live),
      ...(await compareRecords(log, rebuilt, live)),
    ],
  };
};
