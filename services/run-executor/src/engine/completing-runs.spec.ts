import type { Microtime } from '@penstock/contracts';
import { FakeLedger } from './fake-ledger.fixture';
import { FakeSource, NO_SCHEMA, type Plan, recordOf, timeOf } from './fake-source.fixture';
import { FakeWarehouse } from './fake-warehouse.fixture';
import { Patience } from './patience';
import { type RunCompletion, RunPerformance } from './run-performance';
import { ALL_STEPS } from './tally';

const LIMITS = { backoffBaseMs: 1, backoffCapMs: 1, limitMs: 1_000, functionLimitMs: 1_000 };
/** When all runs have started. */
const STARTED: Microtime = '2026-06-01T00:00:00.000000Z';

const plan = (id: string | null, at: number | null = 0): Plan => ({
  ...{ id, at, value: 1 },
  fate: 'ok',
});

/** An import that begins with identities of an earlier one. */
class Import {
  readonly ledger: FakeLedger;
  readonly warehouse = new FakeWarehouse();

  constructor(incremental: boolean, startingCursor: Microtime | null = null) {
    this.ledger = new FakeLedger({ incremental, startingCursor });
    for (const id of ['old1', 'old2', 'old3'])
      this.warehouse.identities.set(id, { timeUs: 0n, tieBreaker: '', value: 0 });
  }

  /** Performs it under a new claim, in batches of one record. */
  perform(plans: readonly Plan[], isFaulty: (what: string) => boolean = () => false) {
    const claim = this.ledger.claim();
    const { signal } = new AbortController();
    const failing = (what: string): void => {
      if (isFaulty(what)) throw new Error(`${what} fails`);
    };
    const writer = this.warehouse.writer(claim.epoch);
    const performance = new RunPerformance(
      claim.run,
      {
        source: new FakeSource(plans.map(recordOf), {
          ...{ pageSizes: [1], canResume: true, awayAt: [] },
          onPage: () => Promise.resolve(),
        }),
        ...{ inSchema: NO_SCHEMA, checkSource: () => [], stepsOfKind: ALL_STEPS },
        steps: { apply: (records) => Promise.resolve(records.map((values) => ({ values }))) },
        writer: {
          ...writer,
          purge: async (...given) => {
            failing('purge');
            return writer.purge(...given);
          },
        },
        ledger: claim.ledger,
        limits: { size: 1, stallMs: 50 },
        patience: new Patience(LIMITS, signal, () => undefined),
        nowMs: () => Date.parse(STARTED),
      },
      signal,
    );
    return performance.perform();
  }

  get ids(): readonly string[] {
    return [...this.warehouse.identities.keys()].sort();
  }
}

const OLD = ['old1', 'old2', 'old3'];

it('a full import removes the identities that the source does not have any more, and counts them', async () => {
  const run = new Import(false);
  expect(await run.perform([plan('a'), plan('old2')])).toMatchObject({ purged: 2, warnings: [] });
  expect(run.ids).toEqual(['a', 'old2']);
});

it('what a full import removes is on record piece by piece', async () => {
  const run = new Import(false);
  expect(await run.perform([plan('a')])).toMatchObject({ purged: 3 });
  // The fake warehouse removes two identities at a time; the end of the run tells of the last piece.
  expect(run.ledger.purged).toBe(2);
});

it.each<[string, boolean, readonly Plan[], readonly string[]]>([
  ['it is incremental', true, [plan('a')], []],
  ['the source has given no record', false, [], ['the source has given no record']],
  [
    'a record has no readable id',
    false,
    [plan('a'), plan(null)],
    ['1 record (record 2) has no readable id'],
  ],
])('removes nothing where %s', async (_, incremental, plans, warnings) => {
  const run = new Import(incremental);
  const { purged, warnings: told } = await run.perform(plans);
  expect(purged).toBe(0);
  expect(run.ids).toEqual([...plans.flatMap(({ id }) => id ?? []), ...OLD]);
  expect(told.map((each, at) => each.slice(0, warnings[at]?.length))).toEqual(warnings);
});

it('the end of reading is on record before anything is removed, and nothing is read again', async () => {
  const run = new Import(false);
  await expect(run.perform([plan('a')], (what) => what === 'purge')).rejects.toThrow('purge fails');
  expect(run.ledger.now.position).toEqual({ kind: 'end' });
  // A source that had another record by now would add it.
  expect(await run.perform([plan('a'), plan('later')])).toMatchObject({ purged: 3 });
  expect(run.ids).toEqual(['a']);
});

it('each batch is on record with its place, and the cursor never moves back', async () => {
  const run = new Import(true);
  const completion: RunCompletion = await run.perform([plan('a', 7), plan('b', 3), plan('c', 5)]);
  expect(run.ledger.sizes).toEqual([1, 1, 1]);
  expect(run.ledger.now).toMatchObject({
    position: { kind: 'record', record: 3 },
    cursor: timeOf(7),
  });
  expect(completion.cursor).toBe(timeOf(7));
});

it('the cursor is not later than the start of the run', async () => {
  const run = new Import(true);
  const twoMinutesLater = (Date.parse(STARTED) - Date.UTC(2026, 0, 1)) / 1_000 + 120;
  expect(await run.perform([plan('a', twoMinutesLater)])).toMatchObject({ cursor: STARTED });
});

it('an incremental import passes over records from before its cursor', async () => {
  const run = new Import(true, timeOf(5));
  await run.perform([plan('a', 4), plan('b', 5), plan('c', 6), plan('d', null)]);
  expect(run.ids).toEqual(['b', 'c', 'd', ...OLD]);
});
