import {
  type Instant,
  type PipelineId,
  type RecordedRunFact,
  type ReplayedRun,
  type RunId,
  stateKey,
  TOPIC,
  PARTITIONS,
  topics,
  type WorkspaceState,
} from '@penstock/contracts';
import {
  KafkaMessageLog,
  type MessageLog,
  PostgresMessageLog,
  PrefixedLog,
} from '@penstock/messaging';
import { newId } from '@penstock/runtime';
import { freshDatabase, testBrokers } from '@penstock/test-servers';
import fc from 'fast-check';
import type { PostgresRunStore } from '../store/postgres-run-store';
import { aBatch, aRun, StoreDatabase, SUCCEEDED, WORKSPACE } from '../store/store.fixture';
import { publishFacts } from '../workers/publish-facts';
import { verifyRuns } from './verify-runs';

jest.setTimeout(600_000);

/** The long form tries new values. */
const RANDOM =
  process.env['PENSTOCK_TEST_LONG'] === '1' ? { numRuns: 30 } : { numRuns: 4, seed: 1 };

const database = StoreDatabase.forEachTest();
let store: PostgresRunStore;
let whole: MessageLog;
let log: MessageLog;
let drop: () => Promise<void>;

beforeAll(async () => {
  const fresh = await freshDatabase();
  drop = () => fresh.drop();
  whole = new PostgresMessageLog({ connection: { connectionString: fresh.url } });
});

afterAll(async () => {
  await whole.close();
  await drop();
});

const tell = (to: MessageLog, deleted: boolean): Promise<unknown> => {
  const state = { kind: 'workspace', id: WORKSPACE, deleted } as WorkspaceState;
  const value = JSON.stringify({ position: 1, state });
  return to.append(TOPIC.configurationState, [{ key: stateKey(state), value }]);
};

const newLog = async (within = whole): Promise<MessageLog> => {
  const made = new PrefixedLog(within, `${newId()}.`);
  await made.ensureTopics(topics(PARTITIONS.embedded));
  await tell(made, false);
  return made;
};

beforeEach(async () => {
  store = await database.open(100);
  log = await newLog();
});

const found = async (on = log): Promise<string[]> => {
  const { differences } = await verifyRuns(database.pool, on);
  return differences.map(({ where, what }) => `${where} ${what}`);
};

const sql = (text: string, ...values: unknown[]): Promise<unknown> =>
  database.pool.query(text, values);

type Step = 'settle' | 'restart' | 'lose' | 'cancel' | 'strange';
const STEPS: readonly Step[] = [
  'settle',
  'settle',
  'settle',
  'restart',
  'lose',
  'cancel',
  'strange',
];
const ENDS = ['Succeeded', 'Failed', 'Cancelled', 'live', 'queued'] as const;

/** What is to happen to a run, and how it ends. */
interface Script {
  readonly steps: readonly Step[];
  readonly end: (typeof ENDS)[number];
}

const script: fc.Arbitrary<Script> = fc.record({
  steps: fc.array(fc.constantFrom(...STEPS), { maxLength: 8 }),
  end: fc.constantFrom(...ENDS),
});

/** NUL and a lone surrogate, which the store replaces. */
const STRANGE = 'left out: \0 \uD800';

/** Performs a run by its script. */
const perform = async ({ steps, end }: Script, pipeline: PipelineId): Promise<RunId> => {
  const { run, ...accepted } = aRun({ pipeline, pipelineName: `Users ${STRANGE}` });
  await store.accept([{ run, ...accepted }]);
  if (end === 'queued') return run;
  let claimed = await store.claim('w1');
  for (const step of steps) {
    if (claimed === undefined) throw new Error('the run cannot be claimed');
    const { epoch, nextBatch, readingFrom } = claimed;
    const ledger = store.ledger(run, epoch);
    const settle = async (members: object = {}): Promise<void> => {
      await ledger.settle(aBatch(nextBatch, members));
      claimed = { ...claimed!, nextBatch: nextBatch + 1 };
    };
    if (step === 'settle') await settle();
    if (step === 'strange') await settle({ warnings: [STRANGE] });
    if (step === 'cancel') await store.requestCancel(run, { reason: 'Requested' });
    if (step === 'restart') {
      await ledger.restart(STRANGE, readingFrom + 1);
      claimed = { ...claimed, readingFrom: readingFrom + 1 };
    }
    if (step === 'lose' && !steps.includes('cancel')) {
      await sql(`UPDATE penstock_runs.runs SET lease_until = '-infinity' WHERE id = $1`, run);
      claimed = await store.claim('w2');
    }
  }
  const ending = { ...SUCCEEDED, error: `because ${STRANGE}`, warnings: [STRANGE] };
  if (end !== 'live') await store.end(run, claimed?.epoch ?? 0, { ...ending, status: end });
  return run;
};

const replay = (members: Partial<ReplayedRun> = {}): ReplayedRun => ({
  ...aRun({ pipeline: 'pipeline00000009' as PipelineId }),
  ...{ mode: 'deliver', actor: 'key1', warnings: [STRANGE], errors: [] },
  from: '2026-05-01T00:00:00.000Z' as Instant,
  to: '2026-05-02T00:00:00.000Z' as Instant,
  ...{ sequence: 4, cancelledBy: null, ending: null },
  progress: {
    ...{ passed: [5, 5, 5, 5, 5, 5], failed: [1, 0, 0, 0, 0, 0] },
    ...{ rate: 1, eta: null, total: null },
  },
  ...members,
});

const ENDED_REPLAY = {
  ending: { status: 'Failed', at: '2026-06-01T00:01:00.000Z' as Instant, error: STRANGE },
} as const;

const PIPELINE = 'pipeline00000001' as PipelineId;

it('finds no difference, whatever has happened to runs', () =>
  fc.assert(
    fc.asyncProperty(fc.array(script, { minLength: 4, maxLength: 8 }), async (scripts) => {
      await sql('DROP SCHEMA penstock_runs CASCADE');
      store = await database.open(100);
      log = await newLog();
      // What waits in the queue comes last: it would be claimed instead of the run that is performed.
      const isQueued = ({ end }: Script): number => Number(end === 'queued');
      const ordered = [...scripts].sort((one, other) => isQueued(one) - isQueued(other));
      for (const [index, each] of ordered.entries()) {
        await perform(each, each.end === 'live' ? (newId() as PipelineId) : PIPELINE);
        await sql(`UPDATE penstock_runs.runs SET lease_until = 'infinity' WHERE ended IS NULL`);
        if (index === 2) await publishFacts(store, log);
      }
      expect(await found()).toEqual([]);
      await publishFacts(store, log);
      const verified = await verifyRuns(database.pool, log);
      expect(verified).toMatchObject({ count: 0 });
      expect(verified.what).toMatch(new RegExp(`^\\d+ facts of ${String(scripts.length)} runs$`));
    }),
    { ...RANDOM, endOnFailure: true },
  ));

it('finds no difference in replays, nor before an executor has started', async () => {
  await store.recordReplay(replay());
  await store.recordReplay(replay({ ...ENDED_REPLAY, cancelledBy: 'key1' }));
  expect(await verifyRuns(database.pool, log)).toEqual({
    ...{ what: '4 facts of 2 runs, 4 of them not published yet', differences: [], count: 0 },
  });
  await publishFacts(store, log);
  expect(await found()).toEqual([]);
  await sql('DROP SCHEMA penstock_runs CASCADE');
  expect(await found()).toEqual(['penstock_runs is missing']);
  expect(await found(await newLog())).toEqual([]);
});

it('finds differences on Kafka', async () => {
  const kafka = new KafkaMessageLog({ brokers: testBrokers(), clientId: 'audit-of-runs' });
  try {
    log = await newLog(kafka);
    const run = await perform({ steps: ['settle'], end: 'Succeeded' }, PIPELINE);
    await publishFacts(store, log);
    await publishFacts(store, log);
    expect(await found()).toEqual([]);
    const { records } = await log.read(TOPIC.runs, 0, 0, 10_000_000);
    const [first] = records;
    await log.append(TOPIC.runs, [{ key: 'x', value: first?.value ?? '' }]);
    await sql(`UPDATE penstock_runs.runs SET purged = 0`);
    expect(await found()).toEqual([
      `penstock_runs.runs ${run} differs in purged`,
      `runs offset 4 is ${run} number 1 again, with different content`,
    ]);
  } finally {
    await kafka.close();
  }
});

describe('a difference', () => {
  let first: RunId;
  let second: RunId;
  let live: RunId;
  let ended: RunId;

  beforeEach(async () => {
    const steps = ['settle', 'lose', 'settle'] as const;
    first = await perform({ steps, end: 'Succeeded' }, PIPELINE);
    second = await perform({ steps: ['settle'], end: 'Cancelled' }, PIPELINE);
    live = await perform({ steps, end: 'live' }, 'pipeline00000002' as PipelineId);
    const replayed = replay(ENDED_REPLAY);
    await store.recordReplay(replayed);
    ended = replayed.run;
    await publishFacts(store, log);
  });

  it.each<[string, string, () => readonly [RunId, string]]>([
    ['a count', 'SET passed[6] = passed[6] + 1 WHERE id = $1', () => [first, 'passed']],
    ['a count of a live run', 'SET failed[2] = 7 WHERE id = $1', () => [live, 'failed']],
    ['a status', `SET status = 'Failed' WHERE id = $1`, () => [second, 'status']],
    ['an error', `SET error = '' WHERE id = $1`, () => [ended, 'error']],
    ['attempts', 'SET attempt = 1 WHERE id = $1', () => [first, 'attempt']],
    [
      'a start',
      `SET requested = requested - interval '1 s' WHERE id = $1`,
      () => [live, 'startTime'],
    ],
    ['an end', `SET ended = ended + interval '1 s' WHERE id = $1`, () => [first, 'endTime']],
    ['the end of a replay', `SET ended = now() WHERE id = $1`, () => [ended, 'endTime']],
    ['no end', `SET ended = NULL WHERE id = $1`, () => [second, 'endTime']],
    ['a warning', `SET warnings = '{}' WHERE id = $1`, () => [first, 'warnings']],
    ['a cursor', `SET cursor = NULL WHERE id = $1`, () => [live, 'cursor']],
  ])('in %s of a run is named', async (_, change, expected) => {
    const [run, member] = expected();
    await sql(`UPDATE penstock_runs.runs ${change}`, run);
    expect(await found()).toEqual([`penstock_runs.runs ${run} differs in ${member}`]);
  });

  const COPY = `
    WITH run AS (INSERT INTO penstock_runs.runs SELECT (jsonb_populate_record(r, '{"id":"extra"}')).*
                   FROM penstock_runs.runs r WHERE id = $1 RETURNING id)
    INSERT INTO penstock_runs.facts (run, number, at, actor, type, data, published)
    SELECT 'extra', number, at, actor, type, data, true FROM penstock_runs.facts WHERE run = $1`;

  it.each<[string, string, () => readonly string[]]>([
    [
      'a fact that was changed',
      `UPDATE penstock_runs.facts SET data = replace(data, '"duplicates":1', '"duplicates":2') WHERE run = $1 AND number = 3`,
      () => [
        `penstock_runs.runs ${first} differs in duplicates`,
        `penstock_runs.facts ${first} number 3 differs in fact`,
      ],
    ],
    [
      'a count of a fact that was changed',
      `UPDATE penstock_runs.facts SET data = replace(data, '[10,10,', '[11,10,') WHERE run = $1 AND number = 3`,
      () => [
        `penstock_runs.facts ${first} number 6 cannot follow the facts before it: RunSucceeded`,
        `penstock_runs.facts ${first} number 3 differs in fact`,
      ],
    ],
    [
      'a fact that is gone',
      'DELETE FROM penstock_runs.facts WHERE run = $1 AND number = 3',
      () => [
        `penstock_runs.facts ${first} number 3 is missing`,
        `runs ${first} number 3 is not stored`,
      ],
    ],
    [
      'an end that is gone',
      'DELETE FROM penstock_runs.facts WHERE run = $1 AND number = 6',
      () => [
        `penstock_runs.facts ${first} number 6 is missing`,
        `runs ${first} number 6 is not stored`,
      ],
    ],
    [
      'a run that is gone',
      'DELETE FROM penstock_runs.runs WHERE id = $1',
      () => [`penstock_runs.runs ${first} is missing`],
    ],
    [
      'facts that are gone',
      'DELETE FROM penstock_runs.facts WHERE run = $1',
      () => [
        `penstock_runs.runs ${first} has no facts`,
        ...[1, 2, 3, 4, 5, 6].map((n) => `runs ${first} number ${String(n)} is not stored`),
      ],
    ],
    [
      'a number of facts that is too low',
      'UPDATE penstock_runs.runs SET facts = 5 WHERE id = $1',
      () => [`penstock_runs.runs ${first} has fewer facts than are stored`],
    ],
    [
      'a run that never was',
      COPY,
      () => [1, 2, 3, 4, 5, 6].map((n) => `runs extra number ${String(n)} is missing`),
    ],
  ])('with %s is named', async (_, text, expected) => {
    await sql(text, first);
    expect(await found()).toEqual(expected());
  });

  type Message = { readonly key: string; readonly value: string };

  /** What is found when the topic is another one. */
  const foundWith = async (change: (all: Message[]) => readonly Message[]): Promise<string[]> => {
    const { records } = await log.read(TOPIC.runs, 0, 0, 10_000_000);
    const other = await newLog();
    const all = records.map(({ key, value }) => ({ key, value: value ?? '' }));
    await other.append(TOPIC.runs, change(all));
    return found(other);
  };

  const at = (all: readonly Message[], run: string, number: number): number =>
    all.findIndex(({ value }) => {
      const fact = JSON.parse(value) as RecordedRunFact;
      return fact.run === run && fact.number === number;
    });

  const changed = ({ key, value }: Message, members: object): Message => ({
    ...{ key, value: JSON.stringify({ ...(JSON.parse(value) as object), ...members }) },
  });

  it.each<[string, (all: Message[]) => readonly Message[], () => readonly string[]]>([
    ['with repetitions', (all) => [...all, ...all.slice(2)], () => []],
    [
      'without a fact',
      (all) => all.toSpliced(at(all, first, 3), 1),
      () => [`runs ${first} number 3 is missing`],
    ],
    [
      'without its last fact',
      (all) => all.slice(0, -1),
      () => [`runs ${ended} number 2 is missing`],
    ],
    [
      'with two facts swapped',
      (all) =>
        all
          .with(at(all, first, 3), all[at(all, first, 4)]!)
          .with(at(all, first, 4), all[at(all, first, 3)]!),
      () => [`runs ${first} number 3 comes after a fact that follows it`],
    ],
    [
      'with the runs of a pipeline swapped',
      (all) => [...all.slice(6), ...all.slice(0, 6)],
      () => [`runs ${first} number 6 comes after a fact that follows it`],
    ],
    [
      'with a fact of somebody else',
      (all) => all.with(2, changed(all[2]!, { actor: 'x' })),
      () => [`penstock_runs.facts ${first} number 3 differs in actor`],
    ],
    [
      'with a repetition with other content',
      (all) => [...all, changed(all[2]!, { actor: 'x' })],
      () => [`runs offset 17 is ${first} number 3 again, with different content`],
    ],
    [
      'under another key',
      (all) => all.with(2, { ...all[2]!, key: 'x' }),
      () => [`penstock_runs.facts ${first} number 3 differs in key`],
    ],
    [
      'with what is no fact',
      (all) => [...all, { key: 'x', value: 'null' }, { key: 'x', value: '{' }],
      () => ['runs offset 17 is not a fact of a run', 'runs offset 18 is not a fact of a run'],
    ],
    [
      'with facts that no executor can have told',
      (all) => [
        ...all,
        changed(all[0]!, { run: 'a\0b' }),
        changed(all[0]!, { workspace: null }),
        changed(all[0]!, { number: 0 }),
        changed(all[0]!, { number: 2_147_483_648 }),
        changed(all[0]!, { number: 2_147_483_647 }),
      ],
      () => [
        ...[17, 18, 19, 20].map((offset) => `runs offset ${String(offset)} is not a fact of a run`),
        `runs ${first} number 2147483647 is not stored`,
      ],
    ],
    [
      'with a run that is not stored, or no longer since its workspace was deleted',
      (all) => [
        ...all,
        changed(all[0]!, { run: 'lost' }),
        changed(all[0]!, { run: 'erased', workspace: 'deleted' }),
      ],
      () => ['penstock_runs.runs lost is missing'],
    ],
  ])('of a topic %s is named', async (_, change, expected) => {
    expect(await foundWith(change)).toEqual(expected());
  });

  it('is named though somebody else has written under the key of the workspace', async () => {
    await log.append(TOPIC.configurationState, [{ key: `workspace:${WORKSPACE}`, value: '{' }]);
    const { records } = await log.read(TOPIC.runs, 0, 0, 10_000_000);
    const [{ key, value } = { key: '', value: null }] = records;
    await log.append(TOPIC.runs, [changed({ key, value: value ?? '' }, { run: 'lost' })]);
    expect(await found()).toEqual(['penstock_runs.runs lost is missing']);
  });

  it('is none when runs were deleted after their retention', async () => {
    await sql(`UPDATE penstock_runs.runs SET told = true, cleaned = true`);
    await store.forgetRuns(-60_000);
    const { rows } = await database.pool.query(
      'SELECT FROM penstock_runs.runs WHERE ended IS NOT NULL',
    );
    expect(rows).toEqual([]);
    expect(await found()).toEqual([]);
  });

  it('is none when the workspace was deleted', async () => {
    await tell(log, true);
    expect(await found()).toEqual([]);
    await store.erase(WORKSPACE);
    expect(await found()).toEqual([]);
  });
});
