import { RUN_STEPS, type RunPosition } from '@penstock/contracts';
import { newRecord, type RecordValue } from '@penstock/schema';
import fc from 'fast-check';
import { type Accident, accident, Calls, Crash } from './accidents.fixture';
import { Away } from './away';
import type { ExportedFile } from './exported-file';
import { FakeLedger } from './fake-ledger.fixture';
import { NO_SCHEMA } from './fake-source.fixture';
import { FileExport } from './file-export';
import { LeaseLost } from './lease-lost';
import { Patience } from './patience';
import type { RecordReading, RecordSource, SourcePage, SourceRecord } from './record-source';
import type { RowDestination } from './row-destination';
import { RowExport } from './row-export';
import type { RunCompletion } from './run-performance';
import type { StepResult, Steps } from './steps';
import { WholeRunError } from './whole-run-error';

jest.setTimeout(300_000);

const RUNS = Number(process.env['RUNS_OF_PROPERTIES'] ?? 300);

const PATIENCE = { backoffBaseMs: 0, backoffCapMs: 0, limitMs: 60_000, functionLimitMs: 60_000 };

/** A profile: what becomes of it, and the key and the value of its row. */
interface Plan {
  readonly fate: 'ok' | 'left out' | 'invalid' | 'broken' | 'unfit' | 'refused';
  readonly key: number;
  readonly value: number;
}

const STEP_OF = {
  'left out': 'Filter',
  invalid: 'InputValidation',
  broken: 'Transformation',
  unfit: 'OutputValidation',
} as const;

const steps: Steps = {
  apply: (records) =>
    Promise.resolve(
      records.map((values): StepResult => {
        const fate = values['fate'] as Plan['fate'];
        if (fate === 'ok' || fate === 'refused') return { values };
        return { step: STEP_OF[fate], fault: { code: 'MappingFailed', message: fate } };
      }),
    ),
};

const idOf = (index: number): string => `p${String(index).padStart(3, '0')}`;

const recordOf = ({ fate, ...values }: Plan, index: number): SourceRecord => ({
  ...{ id: idOf(index), updatedAt: null, fault: null, isLeftOut: fate === 'left out' },
  values: fate === 'left out' ? newRecord() : Object.assign(newRecord(), { fate, ...values }),
});

interface Case {
  readonly plans: readonly Plan[];
  readonly batch: number;
  readonly pages: number;
  readonly accidents: readonly Accident[];
}

const aCase: fc.Arbitrary<Case> = fc.record({
  plans: fc.array(
    fc.record({
      fate: fc.constantFrom<Plan['fate'][]>(
        ...(['ok', 'ok', 'ok', 'left out', 'invalid', 'broken', 'unfit', 'refused'] as const),
      ),
      key: fc.nat(30),
      value: fc.nat(),
    }),
    { maxLength: 50 },
  ),
  batch: fc.integer({ min: 1, max: 12 }),
  pages: fc.integer({ min: 1, max: 20 }),
  accidents: fc.array(accident, { maxLength: 4 }),
});

/** What the specification says of these profiles, one after the other. */
const expected = ({ plans }: Case, isFile: boolean) => {
  const passed = RUN_STEPS.map(() => 0);
  const failed = RUN_STEPS.map(() => 0);
  const rows = new Map<number, number>();
  const taken = new Set<number>();
  const lines: number[] = [];
  const stepOf = ({ fate, key }: Plan) => {
    if (isFile) return fate === 'left out' ? 'Filter' : fate === 'refused' ? 'Finalize' : undefined;
    if (fate !== 'ok' && fate !== 'refused') return STEP_OF[fate];
    if (taken.has(key)) return 'OutputValidation';
    taken.add(key);
    return fate === 'refused' ? 'Finalize' : undefined;
  };
  for (const each of plans) {
    const step = stepOf(each);
    const end = step === undefined ? RUN_STEPS.length : RUN_STEPS.indexOf(step);
    RUN_STEPS.forEach((_, at) => {
      if (at < end && !(isFile && (at === 3 || at === 4))) passed[at]! += 1;
    });
    if (step !== undefined) failed[end]! += 1;
    else {
      rows.set(each.key, each.value);
      lines.push(each.value);
    }
  }
  return { passed, failed, rows: Object.fromEntries(rows), lines };
};

/** What the filter leaves out has no message. */
const explainedOf = (failed: readonly number[]): readonly number[] =>
  failed.map((count, step) => (RUN_STEPS[step] === 'Filter' ? 0 : count));

/** What is outside of the workers. */
class World {
  readonly ledger = new FakeLedger({ incremental: null, startingCursor: null });
  /** What rows have, and the worker that has written it: what it has read is older than what its successors read. */
  readonly rows = new Map<number, { readonly value: number; readonly epoch: number }>();
  /** What the file had each time that it was completed. */
  readonly files: (readonly number[])[] = [];
  /** How often a file was begun to be sent. */
  sent = 0;

  constructor(private readonly given: Case) {}

  async work(calls: Calls, to: 'rows' | 'file' | 'post'): Promise<void> {
    const { run, ledger, end, epoch } = this.ledger.claim();
    const { call } = calls;
    const { signal } = new AbortController();
    const patience = () => new Patience(PATIENCE, signal, () => undefined);
    const parts = {
      source: this.source(call),
      inSchema: NO_SCHEMA,
      ledger: {
        settle: (...all: Parameters<typeof ledger.settle>) => call(() => ledger.settle(...all)),
        restart: (...all: Parameters<typeof ledger.restart>) => call(() => ledger.restart(...all)),
        takeKeys: (...all: Parameters<typeof ledger.takeKeys>) =>
          call(() => ledger.takeKeys(...all)),
        forgetUnsettledKeys: () => call(() => ledger.forgetUnsettledKeys()),
        // Between this and the end of a merge a table has locks, which no successor comes behind.
        check: () => (to === 'rows' ? ledger.check() : call(() => ledger.check())),
      },
      limits: { size: this.given.batch, stallMs: 50 },
      patience: patience(),
    };
    const completion: RunCompletion =
      to === 'rows'
        ? await new RowExport(
            run,
            {
              ...parts,
              steps: { apply: (...all) => call(() => steps.apply(...all)) },
              key: { name: 'key', type: { kind: 'float', bitSize: 64 } as never },
              destination: this.destination(call, epoch),
            },
            signal,
          ).perform()
        : await new FileExport(
            run,
            { ...parts, file: this.file(call, to === 'file'), attempts: patience() },
            signal,
          ).perform();
    await call(() => end(completion)).catch((error: unknown) => {
      if (!(error instanceof Away)) throw error;
      return call(() => end(completion));
    });
  }

  private source(call: Calls['call']): RecordSource {
    const records = this.given.plans.map(recordOf);
    const size = this.given.pages;
    async function* pages(from: RunPosition): AsyncGenerator<SourcePage> {
      const all =
        from.kind === 'profile' ? records.filter(({ id }) => (id ?? '') > from.id) : records;
      for (let at = 0; at < all.length; at += size) {
        await call(() => Promise.resolve());
        const page = all.slice(at, at + size);
        yield {
          ...{ records: page, extent: { total: records.length, share: null } },
          positionAfter: (count) => ({ kind: 'profile', id: page[count - 1]?.id ?? '' }),
        };
      }
    }
    return {
      open: ({ from }): Promise<RecordReading> =>
        Promise.resolve({
          ...{ schema: NO_SCHEMA, warnings: [], restarted: null },
          ...{ pages: pages(from), close: () => Promise.resolve() },
        }),
    };
  }

  private destination(call: Calls['call'], epoch: number): RowDestination {
    return {
      open: () => call(() => Promise.resolve()),
      equalTexts: (keys) => Promise.resolve(keys),
      merge: (rows, _, check) =>
        call(async () => {
          await check();
          const outcomes = rows.map((row) => {
            if (row['fate'] === 'refused') return 'refused';
            this.rows.set(row['key'] as number, { value: row['value'] as number, epoch });
            return undefined;
          });
          return outcomes;
        }),
      close: () => Promise.resolve(),
    };
  }

  private file(call: Calls['call'], isRepeatable: boolean): ExportedFile {
    const write = async (records: AsyncIterable<readonly RecordValue[]>): Promise<void> => {
      await call(() => Promise.resolve((this.sent += 1)));
      const lines: number[] = [];
      for await (const batch of records)
        lines.push(...batch.map((each) => each['value'] as number));
      await call(() => Promise.resolve(this.files.push(lines)));
    };
    const problemOf = (record: RecordValue) =>
      record['fate'] === 'refused' ? 'refused' : undefined;
    return { isRepeatable, problemOf, write };
  }
}

/** Workers take the run up until one has ended it; those that were frozen wake up at the end. */
const performed = async (given: Case, to: 'rows' | 'file' | 'post') => {
  const world = new World(given);
  const sleepers: { calls: Calls; ending: Promise<unknown> }[] = [];
  let failure: WholeRunError | undefined;
  for (const each of [...given.accidents, undefined]) {
    if (world.ledger.ends.length > 0) break;
    const calls = new Calls(each);
    const ending = world.work(calls, to).catch((error: unknown) => error);
    const ended = await Promise.race([ending, calls.frozen.then(() => 'frozen' as const)]);
    if (ended === 'frozen') sleepers.push({ calls, ending });
    else if (ended instanceof WholeRunError) {
      failure = ended;
      break;
    } else if (ended instanceof Error && !(ended instanceof Crash)) throw ended;
  }
  const shown = world.ledger.now;
  const rows = new Map(world.rows);
  for (const { calls } of sleepers) calls.wake();
  const late = await Promise.all(sleepers.map(({ ending }) => ending));
  return { world, shown, rows, late, failure };
};

it('rows are counted and merged the same, whatever happens to workers, profiles and the database', async () => {
  await fc.assert(
    fc.asyncProperty(aCase, async (given) => {
      const { world, shown, rows: written, late, failure } = await performed(given, 'rows');
      const { rows, passed, failed } = expected(given, false);
      expect(failure).toBeUndefined();
      expect(shown).toMatchObject({ passed, failed });
      const values = Array.from(written, ([key, { value }]) => [key, value] as const);
      expect(Object.fromEntries(values)).toEqual(rows);
      expect(world.rows).toEqual(written);
      for (const each of late) if (each !== undefined) expect(each).toBeInstanceOf(LeaseLost);
      expect(world.ledger.explained).toEqual(explainedOf(failed));
    }),
    { numRuns: RUNS },
  );
});

it('a file is counted and completed the same, whatever happens to workers, profiles and the storage', async () => {
  await fc.assert(
    fc.asyncProperty(aCase, async (given) => {
      const { world, shown, late, failure } = await performed(given, 'file');
      const { lines, passed, failed } = expected(given, true);
      expect(failure).toBeUndefined();
      expect(shown).toMatchObject({ passed, failed });
      expect(world.files.length).toBeGreaterThan(0);
      for (const file of world.files) expect(file).toEqual(lines);
      expect(world.ledger.explained).toEqual(explainedOf(failed));
      for (const each of late) if (each !== undefined) expect(each).toBeInstanceOf(LeaseLost);
    }),
    { numRuns: RUNS },
  );
});

it('a file that is taken once is sent once: it arrives, or the run fails since that is not known', async () => {
  await fc.assert(
    fc.asyncProperty(aCase, async (given) => {
      const { world, shown, failure } = await performed(given, 'post');
      const { lines, passed, failed } = expected(given, true);
      expect(world.sent).toBeLessThanOrEqual(1);
      if (failure === undefined) {
        expect(world.files).toEqual([lines]);
        expect(shown).toMatchObject({ passed, failed });
        expect(world.ledger.explained).toEqual(explainedOf(failed));
      } else {
        expect(failure).toMatchObject({ step: 'Finalize', code: 'Unconfirmed' });
        expect(given.accidents).not.toEqual([]);
      }
    }),
    { numRuns: RUNS },
  );
});
