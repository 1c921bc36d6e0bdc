import { setImmediate } from 'node:timers/promises';
import { RUN_STEPS } from '@penstock/contracts';
import fc from 'fast-check';
import { type Accident, accident, Calls, Crash } from './accidents.fixture';
import { Away } from './away';
import { FakeLedger } from './fake-ledger.fixture';
import { FakeSource, NO_SCHEMA, type Plan, recordOf, timeOf } from './fake-source.fixture';
import { FakeWarehouse } from './fake-warehouse.fixture';
import { LeaseLost } from './lease-lost';
import { Patience } from './patience';
import { RunPerformance } from './run-performance';
import type { StepResult, Steps } from './steps';
import { ALL_STEPS } from './tally';

jest.setTimeout(300_000);

const RUNS = Number(process.env['RUNS_OF_PROPERTIES'] ?? 300);

const PATIENCE = { backoffBaseMs: 0, backoffCapMs: 0, limitMs: 60_000, functionLimitMs: 60_000 };

const RESULTS: Readonly<Record<string, StepResult>> = {
  invalid: { step: 'InputValidation', fault: { code: 'InvalidValue', message: 'is not valid' } },
  filtered: { step: 'Filter', fault: null },
  broken: { step: 'Transformation', fault: { code: 'MappingFailed', message: 'has failed' } },
  unfit: { step: 'OutputValidation', fault: { code: 'InvalidValue', message: 'does not fit' } },
};

const steps: Steps = {
  apply: (records) =>
    Promise.resolve(records.map((values) => RESULTS[values['fate'] as string] ?? { values })),
};

interface Case {
  readonly plans: readonly Plan[];
  readonly batch: number;
  readonly pageSizes: readonly number[];
  readonly canResume: boolean;
  readonly incremental: boolean;
  readonly accidents: readonly Accident[];
  readonly awayAt: readonly number[];
  /** Turns of the event loop that writing a batch takes, while the next ones are prepared. */
  readonly writeTurns: number;
  /** Longest time that a batch waits for more records: 50 ms where it does not matter. */
  readonly stallMs?: number;
}

const STARTING = 30;

const FILTER = RUN_STEPS.indexOf('Filter');

const IDS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'refused1', 'refused2'];

const plan: fc.Arbitrary<Plan> = fc.record({
  id: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...IDS) },
    { weight: 12, arbitrary: fc.integer({ min: 0, max: 500 }).map((n) => `u${n}`) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  at: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.constant(null)),
  fate: fc.constantFrom<Plan['fate'][]>(
    ...(['ok', 'ok', 'ok', 'unread', 'invalid', 'filtered', 'broken', 'unfit'] as const),
  ),
  value: fc.nat(),
});

const aCase: fc.Arbitrary<Case> = fc.record({
  plans: fc.array(plan, { maxLength: 60 }),
  batch: fc.integer({ min: 1, max: 12 }),
  pageSizes: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
  canResume: fc.boolean(),
  incremental: fc.boolean(),
  accidents: fc.array(accident, { maxLength: 4 }),
  awayAt: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 2 }),
  writeTurns: fc.integer({ min: 0, max: 3 }),
});

/** Seconds of a record without a time: that of the run, later than all others. */
const NO_TIME = 1_000_000;

const STEP_OF = {
  ok: 'Finalize',
  unread: 'Receive',
  invalid: 'InputValidation',
  filtered: 'Filter',
  broken: 'Transformation',
  unfit: 'OutputValidation',
} as const;

/** What the specification says of these records, record by record. */
const expected = ({ plans, incremental }: Case, before: Readonly<Record<string, unknown>>) => {
  const passed = RUN_STEPS.map(() => 0);
  const failed = RUN_STEPS.map(() => 0);
  const first = new Map<string, Plan>();
  const seen = new Set<string>();
  const best = new Map<string, { at: number; value: number }>();
  let [duplicates, withoutId, cursor] = [0, 0, null as string | null];
  const count = (step: (typeof RUN_STEPS)[number], isOk: boolean): void => {
    const at = RUN_STEPS.indexOf(step);
    for (let index = 0; index < at + Number(isOk); index += 1) passed[index]! += 1;
    if (!isOk) failed[at]! += 1;
  };
  for (const each of plans) {
    if (incremental && each.at !== null && each.at < STARTING) continue;
    if (each.id === null) {
      withoutId += 1;
      count('Receive', false);
      continue;
    }
    if (each.fate !== 'filtered') seen.add(each.id);
    const isRead = each.fate !== 'unread';
    if (isRead && each.at !== null && timeOf(each.at) > (cursor ?? '')) cursor = timeOf(each.at);
    const isRefused = each.id.startsWith('refused');
    if (!first.has(each.id)) {
      first.set(each.id, each);
      count(STEP_OF[each.fate], each.fate === 'ok' && !isRefused);
    } else duplicates += 1;
    const at = each.at ?? NO_TIME;
    const counted = first.get(each.id);
    // What the filter leaves out, or nobody can read, keeps no other record of its id from being applied.
    const hasNoTime =
      counted === each || counted?.fate === 'unread' || counted?.fate === 'filtered';
    const isLater =
      at > (best.get(each.id)?.at ?? -1) && (hasNoTime || at > (counted?.at ?? NO_TIME));
    if (each.fate === 'ok' && !isRefused && isLater) best.set(each.id, { at, value: each.value });
  }
  const values: Record<string, unknown> = {};
  const isPurged = !incremental && withoutId === 0 && first.size > 0;
  for (const [id, value] of Object.entries(before))
    if (!isPurged || seen.has(id)) values[id] = value;
  for (const [id, { value }] of best) values[id] = value;
  const written = new Set([...Object.keys(before), ...best.keys()]);
  const purged = written.size - Object.keys(values).length;
  return { passed, failed, duplicates, withoutId, cursor, values, purged };
};

const BEFORE = { a: -1, gone: -2, refused1: -3 };

class World {
  readonly warehouse = new FakeWarehouse();
  readonly ledger: FakeLedger;

  constructor(private readonly given: Case) {
    const { incremental } = given;
    this.ledger = new FakeLedger({
      incremental,
      startingCursor: incremental ? timeOf(STARTING) : null,
    });
    for (const [id, value] of Object.entries(BEFORE))
      this.warehouse.identities.set(id, { timeUs: 0n, tieBreaker: '', value });
    this.warehouse.beforeWrite = async () => {
      for (let turn = 0; turn < given.writeTurns; turn += 1) await setImmediate();
    };
  }

  /** A worker takes the run up. */
  async work(calls: Calls): Promise<void> {
    const { run, epoch, ledger, end } = this.ledger.claim();
    const { call } = calls;
    const writer = this.warehouse.writer(epoch);
    const { signal } = new AbortController();
    const { plans, batch, stallMs = 50, ...options } = this.given;
    const source = new FakeSource(plans.map(recordOf), {
      ...options,
      onPage: () => call(() => Promise.resolve()),
    });
    const parts = {
      source,
      inSchema: NO_SCHEMA,
      checkSource: () => [],
      steps: { apply: (...all: Parameters<Steps['apply']>) => call(() => steps.apply(...all)) },
      stepsOfKind: ALL_STEPS,
      writer: {
        write: (...all: Parameters<typeof writer.write>) => call(() => writer.write(...all)),
        seen: (...all: Parameters<typeof writer.seen>) => call(() => writer.seen(...all)),
        purge: (...all: Parameters<typeof writer.purge>) => call(() => writer.purge(...all)),
        forget: writer.forget,
      },
      ledger: {
        settle: (...all: Parameters<typeof ledger.settle>) => call(() => ledger.settle(...all)),
        restart: (...all: Parameters<typeof ledger.restart>) => call(() => ledger.restart(...all)),
        purged: (...all: Parameters<typeof ledger.purged>) => call(() => ledger.purged(...all)),
      },
      limits: { size: batch, stallMs },
      patience: new Patience(PATIENCE, signal, () => undefined),
      nowMs: () => Date.UTC(2026, 5, 1),
    };
    const completion = await new RunPerformance(run, parts, signal).perform();
    await call(() => end(completion)).catch((error: unknown) => {
      if (!(error instanceof Away)) throw error;
      return call(() => end(completion));
    });
  }
}

/** Workers take the run up until one has ended it; those that were frozen wake up at the end. */
const performed = async (given: Case) => {
  const world = new World(given);
  const sleepers: { calls: Calls; ending: Promise<unknown> }[] = [];
  for (const each of [...given.accidents, undefined]) {
    if (world.ledger.ends.length > 0) break;
    const calls = new Calls(each);
    const ending = world.work(calls).catch((error: unknown) => error);
    const ended = await Promise.race([ending, calls.frozen.then(() => 'frozen' as const)]);
    if (ended === 'frozen') sleepers.push({ calls, ending });
    else if (ended instanceof Error && !(ended instanceof Crash)) throw ended;
  }
  const [completion] = world.ledger.ends;
  if (completion === undefined) throw new Error('no worker has ended the run');
  const shown = { ...world.ledger.now, values: world.warehouse.values };
  for (const { calls } of sleepers) calls.wake();
  const late = await Promise.all(sleepers.map(({ ending }) => ending));
  return { world, completion, shown, late };
};

/** After the worker has purged it is killed: what is read again would be written, and purged, again. */
const REWRITTEN: Case = {
  plans: [
    { id: 'a', at: 0, fate: 'filtered', value: 0 },
    { id: 'a', at: null, fate: 'ok', value: 0 },
  ],
  ...{ batch: 2, pageSizes: [1], canResume: false, incremental: false },
  ...{ accidents: [{ at: 7, isAfter: true, kind: 'crash' }], awayAt: [], writeTurns: 0 },
};

it('counts and writes the same, whatever happens to workers, sources and the warehouse', async () => {
  await fc.assert(
    fc.asyncProperty(aCase, async (given) => {
      const { world, completion, shown, late } = await performed(given);
      const { cursor, values, purged, ...numbers } = expected(given, BEFORE);
      expect(shown).toMatchObject(numbers);
      expect(shown.values).toEqual(values);
      expect(completion.cursor).toBe(cursor);
      expect(completion.purged).toBe(purged);
      expect(world.warehouse.values).toEqual(values);
      for (const each of late) if (each !== undefined) expect(each).toBeInstanceOf(LeaseLost);
      expect(new Set(world.ledger.ends.map(({ cursor: one }) => one)).size).toBe(1);
    }),
    { numRuns: RUNS, examples: [[REWRITTEN]] },
  );
});

it('counts every record in one step: what passes a step passes the next one or fails there', async () => {
  await fc.assert(
    fc.asyncProperty(aCase, async (given) => {
      const { shown, world } = await performed(given);
      const { passed, failed } = shown;
      for (let step = 0; step + 1 < RUN_STEPS.length; step += 1)
        expect(passed[step]).toBe(passed[step + 1]! + failed[step + 1]!);
      // What the filter leaves out has no message.
      const explained = failed.map((count, step) => (step === FILTER ? 0 : count));
      expect(world.ledger.explained).toEqual(explained);
    }),
    { numRuns: RUNS },
  );
});

it('fills its batches whatever the size of the pages', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 20, max: 200 }),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 }),
      async (count, pageSizes) => {
        const plans = Array.from({ length: count }, (_, n): Plan => ({
          ...{ id: `u${n}`, at: n, fate: 'ok', value: n },
        }));
        const given = { plans, batch: 10, pageSizes, canResume: true, incremental: false };
        // However slow the machine is, no batch is written before it is full.
        const quiet = { accidents: [], awayAt: [], writeTurns: 0, stallMs: 60_000 };
        const { world } = await performed({ ...given, ...quiet });
        // The last says only that all was read.
        expect(world.ledger.sizes.slice(0, -2).every((size) => size === 10)).toBe(true);
        expect(world.ledger.sizes.at(-1)).toBe(0);
      },
    ),
    { numRuns: 50 },
  );
});
