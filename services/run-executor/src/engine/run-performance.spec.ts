import { Away } from './away';
import { FakeLedger } from './fake-ledger.fixture';
import { FakeSource, type FakeSourceOptions, NO_SCHEMA, recordOf } from './fake-source.fixture';
import { FakeWarehouse } from './fake-warehouse.fixture';
import { Patience } from './patience';
import { RunPerformance } from './run-performance';
import { ALL_STEPS } from './tally';

const LIMITS = { backoffBaseMs: 20, backoffCapMs: 20, limitMs: 300, functionLimitMs: 300 };

const PLANS = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => ({
  ...{ id, at: 0, value: 1 },
  fate: 'ok' as const,
}));

/** Performs an import of six records, of one a page, from a source that is away before some pages. */
const performed = async (options: Pick<FakeSourceOptions, 'canResume' | 'awayAt'>) => {
  const ledger = new FakeLedger({ incremental: false, startingCursor: null });
  const warehouse = new FakeWarehouse();
  const claim = ledger.claim();
  const failures: Away[] = [];
  const { signal } = new AbortController();
  const source = new FakeSource(PLANS.map(recordOf), {
    ...{ pageSizes: [1], onPage: () => Promise.resolve() },
    ...options,
  });
  const performance = new RunPerformance(
    claim.run,
    {
      ...{ source, inSchema: NO_SCHEMA, checkSource: () => [] },
      steps: { apply: (records) => Promise.resolve(records.map((values) => ({ values }))) },
      ...{ stepsOfKind: ALL_STEPS, writer: warehouse.writer(claim.epoch), ledger: claim.ledger },
      limits: { size: 1, stallMs: 50 },
      patience: new Patience(LIMITS, signal, (_, error) => failures.push(error)),
      nowMs: () => Date.UTC(2026, 5, 1),
    },
    signal,
  );
  const outcome = await performance.perform().catch((error: unknown) => error);
  return { outcome, failures: failures.length, passed: ledger.now.passed };
};

const every = (nth: number): readonly number[] =>
  Array.from({ length: 1_000 }, (_, index) => (index + 1) * nth);

it('fails when a source that begins anew gets no further for too long', async () => {
  const { outcome, failures } = await performed({ canResume: false, awayAt: every(3) });
  expect(outcome).toMatchObject({
    ...{ step: 'Receive', code: 'Unavailable', message: 'the source is away' },
  });
  // More often where the machine does not stand still: the limit is a time.
  expect(failures).toBeGreaterThanOrEqual(2);
});

it('goes on with a source that gets further each time, however often it is away', async () => {
  const { outcome, passed } = await performed({ canResume: true, awayAt: every(2) });
  expect(outcome).toMatchObject({ purged: 0 });
  expect(passed[0]).toBe(PLANS.length);
});
