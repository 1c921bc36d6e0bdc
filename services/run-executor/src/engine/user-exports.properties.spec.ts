import type { OutgoingUser, UpsertResult, UserOutcome } from '@penstock/connectors';
import { EXPORT_MODES, type ExportMode, RUN_STEPS, type RunPosition } from '@penstock/contracts';
import { newRecord, type RecordValue, type Schema } from '@penstock/schema';
import type { MatchWriter } from '@penstock/warehouses';
import fc from 'fast-check';
import { type Accident, accident, Calls, Crash } from './accidents.fixture';
import { Away } from './away';
import { FakeLedger } from './fake-ledger.fixture';
import { NO_SCHEMA } from './fake-source.fixture';
import { LeaseLost } from './lease-lost';
import { Patience } from './patience';
import type { RecordSource, SourcePage, SourceRecord } from './record-source';
import type { StepResult, Steps } from './steps';
import type { OpenedApplication } from './user-application';
import { UserExport } from './user-export';
import { WholeRunError } from './whole-run-error';

jest.setTimeout(300_000);

const RUNS = Number(process.env['RUNS_OF_PROPERTIES'] ?? 300);

const PATIENCE = { backoffBaseMs: 0, backoffCapMs: 0, limitMs: 60_000, functionLimitMs: 60_000 };

/** A profile: what becomes of it, and the value by which it is matched; `null`: none, `bad`: one that cannot be converted. */
interface Plan {
  readonly fate: 'ok' | 'left out' | 'invalid' | 'broken' | 'unfit' | 'empty' | 'refused';
  readonly value: string | null;
  readonly note: string;
}

const STEP_OF = {
  'left out': 'Filter',
  invalid: 'InputValidation',
  broken: 'Transformation',
  unfit: 'OutputValidation',
} as const;

const fails = (values: RecordValue, ...fates: readonly (keyof typeof STEP_OF)[]): StepResult => {
  const fate = fates.find((each) => each === values['fate']);
  if (fate === undefined) return { values };
  return { step: STEP_OF[fate], fault: { code: 'MappingFailed', message: fate } };
};

const check: Steps = {
  apply: (records) => Promise.resolve(records.map((values) => fails(values, 'invalid'))),
};

/** What is made tells for what it is made. */
const made = (purpose: string): Steps => ({
  apply: (records) =>
    Promise.resolve(
      records.map((values) => {
        const result = fails(values, 'broken', 'unfit');
        if (!('values' in result)) return result;
        if (values['fate'] === 'empty') return { values: newRecord() };
        const { fate, note } = values;
        return { values: Object.assign(newRecord(), { fate, note, purpose }) };
      }),
    ),
});

const OUT: Schema = {
  kind: 'object',
  properties: ['fate', 'note', 'purpose', 'value'].map((name) => ({
    ...{ name, type: { kind: 'string' }, prefilled: '', description: '' },
    ...{ createRequired: false, updateRequired: false, readOptional: false, nullable: false },
  })),
};

const idOf = (index: number): string => `p${String(index).padStart(3, '0')}`;

const recordOf = ({ fate, value, note }: Plan, index: number): SourceRecord => ({
  ...{ id: idOf(index), updatedAt: null, fault: null, isLeftOut: fate === 'left out' },
  values:
    fate === 'left out'
      ? newRecord()
      : Object.assign(newRecord(), { fate, note, ...(value !== null && { value }) }),
});

interface Case {
  readonly plans: readonly Plan[];
  /** Values of users that are there before. */
  readonly there: readonly (string | null)[];
  readonly mode: ExportMode;
  readonly updateOnDuplicates: boolean;
  readonly application: Pick<
    OpenedApplication,
    'isLookedUp' | 'canFind' | 'findsRepetitions' | 'maxUsers' | 'concurrency'
  > & {
    /** Whether it refuses whole requests for one of their users. */
    readonly isStrict: boolean;
  };
  readonly batch: number;
  readonly pages: number;
  readonly accidents: readonly Accident[];
  /** Numbers of the writes, from 1, whose answers are lost: the application has carried them out. */
  readonly lostAnswers: readonly number[];
}

const value = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k');

const aCase: fc.Arbitrary<Case> = fc
  .record({
    plans: fc.array(
      fc.record({
        fate: fc.constantFrom<Plan['fate'][]>(
          ...(['ok', 'ok', 'ok', 'ok', 'left out', 'invalid', 'broken', 'unfit'] as const),
          ...(['empty', 'refused'] as const),
        ),
        value: fc.oneof({ weight: 12, arbitrary: value }, fc.constantFrom(null, 'bad')),
        note: fc.constantFrom('x', 'y', 'z'),
      }),
      { maxLength: 14, size: 'max' },
    ),
    there: fc.array(fc.oneof({ weight: 6, arbitrary: value }, fc.constant(null)), {
      maxLength: 8,
      size: 'max',
    }),
    mode: fc.constantFrom(...EXPORT_MODES),
    updateOnDuplicates: fc.boolean(),
    application: fc
      .record({
        ...{ isLookedUp: fc.boolean(), canFind: fc.boolean(), findsRepetitions: fc.boolean() },
        ...{ isStrict: fc.boolean() },
        maxUsers: fc.integer({ min: 1, max: 4 }),
        concurrency: fc.integer({ min: 1, max: 3 }),
      })
      .map((all) => ({ ...all, canFind: all.canFind || all.isLookedUp })),
    batch: fc.integer({ min: 1, max: 6 }),
    pages: fc.integer({ min: 1, max: 6 }),
    lostAnswers: fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 2 }),
    accidents: fc.array(
      fc
        .tuple(accident, fc.integer({ min: 1, max: 22 }), fc.boolean())
        .map(([each, at, isCrash]): Accident => {
          const { kind, isAfter } = each;
          return { at, isAfter, kind: isCrash ? 'crash' : kind };
        }),
      { maxLength: 14, size: 'max' },
    ),
  })
  .map((given) => ({
    ...given,
    // A worker that wakes up again sends what it was about to send: only such applications know it again.
    accidents: given.accidents.map((each) =>
      each.kind === 'freeze' && !given.application.findsRepetitions
        ? { ...each, kind: 'crash' as const }
        : each,
    ),
  }));

interface StoredUser {
  readonly id: string;
  readonly value: string | null;
  note: string;
}

const before = ({ there }: Case): StoredUser[] =>
  there.map((each, n) => ({ id: `u${String(n)}`, value: each, note: 'as it was' }));

/** What the specification says of these profiles, one after the other. */
const expected = (given: Case) => {
  const passed = RUN_STEPS.map(() => 0);
  const failed = RUN_STEPS.map(() => 0);
  const users = before(given);
  const created: StoredUser[] = [];
  const holders = (wanted: string): number =>
    given.plans.filter((plan) => plan.fate !== 'left out' && plan.value === wanted).length;
  const stepOf = ({ fate, value: mine, note }: Plan): string | undefined => {
    if (fate === 'left out') return 'Filter';
    if (fate === 'invalid') return 'InputValidation';
    if (mine === null) return 'Filter';
    if (mine === 'bad' || holders(mine) > 1) return 'InputValidation';
    const mates = users.filter((user) => user.value === mine);
    if (mates.length > 1 && !given.updateOnDuplicates) return 'InputValidation';
    if (given.mode === (mates.length > 0 ? 'CreateOnly' : 'UpdateOnly')) return 'Filter';
    if (fate === 'broken') return 'Transformation';
    if (fate === 'unfit') return 'OutputValidation';
    if (fate === 'empty') return undefined;
    if (fate === 'refused') return 'Finalize';
    if (mates.length === 0) created.push({ id: '', value: mine, note: `Create ${note} ${mine}` });
    for (const mate of mates) mate.note = `Update ${note}`;
    return undefined;
  };
  for (const each of given.plans) {
    const step = stepOf(each);
    const end =
      step === undefined ? RUN_STEPS.length : RUN_STEPS.findIndex((name) => name === step);
    RUN_STEPS.forEach((_, at) => {
      if (at < end) passed[at]! += 1;
    });
    if (step !== undefined) failed[end]! += 1;
  }
  return { passed, failed, users, created };
};

/** What is outside of the workers. */
class World {
  private writes = 0;
  readonly ledger = new FakeLedger({ incremental: null, startingCursor: null });
  readonly users: StoredUser[];
  readonly created: StoredUser[] = [];
  private readonly known = new Map<string, UserOutcome>();
  private readonly kept = new Map<string, string>();

  constructor(private readonly given: Case) {
    this.users = before(given);
  }

  async work({ call }: Calls): Promise<void> {
    const { run, ledger, end } = this.ledger.claim();
    const { signal } = new AbortController();
    const { mode, updateOnDuplicates, batch: size } = this.given;
    const completion = await new UserExport(
      run,
      {
        ...{ check, create: made('Create'), update: made('Update') },
        ...{ rules: { mode, updateOnDuplicates }, inSchema: NO_SCHEMA, outSchema: OUT },
        matchingOf: (profile) => {
          const mine = profile['value'] as string | undefined;
          if (mine === 'bad') return { code: 'InvalidMatchingValue', message: 'bad' };
          return mine === undefined ? null : { value: mine, text: mine };
        },
        withMatching: (values, matching, isNew) =>
          isNew ? Object.assign(newRecord(), values, { value: matching.value }) : values,
        source: this.profiles(call),
        users: this.userPages(call),
        application: { open: () => call(() => Promise.resolve(this.application(call))) },
        matches: this.matches(call),
        ledger: {
          settle: (...all) => call(() => ledger.settle(...all)),
          restart: (...all) => call(() => ledger.restart(...all)),
          registerValues: (...all) => call(() => ledger.registerValues(...all)),
          markCreated: (...all) => call(() => ledger.markCreated(...all)),
        },
        limits: { size, stallMs: 50 },
        patience: new Patience(PATIENCE, signal, () => undefined),
      },
      signal,
    ).perform();
    await call(() => end(completion)).catch((error: unknown) => {
      if (!(error instanceof Away)) throw error;
      return call(() => end(completion));
    });
  }

  private profiles(call: Calls['call']): RecordSource {
    const records = this.given.plans.map(recordOf);
    return this.source(call, (from) => {
      const all =
        from.kind === 'profile' ? records.filter(({ id }) => (id ?? '') > from.id) : records;
      return all.map((record) => ({ record, position: { kind: 'profile', id: record.id ?? '' } }));
    });
  }

  /** Users that are created meanwhile are on the last pages. */
  private userPages(call: Calls['call']): RecordSource {
    return this.source(call, (from) => {
      const at = from.kind === 'page' && from.cursor !== '' ? Number(from.cursor) : 0;
      return [...this.users, ...this.created].slice(at).map(({ id, value: mine }, n) => ({
        record: {
          ...{ id, updatedAt: null, fault: null },
          values: Object.assign(newRecord(), mine !== null && { value: mine }),
        },
        position: { kind: 'page', cursor: String(at + n + 1), offset: 0 },
      }));
    });
  }

  private source(
    call: Calls['call'],
    listed: (from: RunPosition) => readonly {
      readonly record: SourceRecord;
      readonly position: RunPosition;
    }[],
  ): RecordSource {
    const size = this.given.pages;
    async function* pages(from: RunPosition): AsyncGenerator<SourcePage> {
      const all = listed(from);
      for (let at = 0; at < all.length; at += size) {
        await call(() => Promise.resolve());
        const page = all.slice(at, at + size);
        yield {
          ...{ records: page.map(({ record }) => record), extent: { total: null, share: null } },
          positionAfter: (count) => page[count - 1]?.position ?? from,
        };
      }
    }
    return {
      open: ({ from }) =>
        Promise.resolve({
          ...{ schema: NO_SCHEMA, warnings: [], restarted: null },
          ...{ pages: pages(from), close: () => Promise.resolve() },
        }),
    };
  }

  private matches(call: Calls['call']): MatchWriter {
    return {
      put: (all) =>
        call(() => {
          for (const { externalId, value: mine } of all) this.kept.set(externalId, mine);
          return Promise.resolve();
        }),
      find: (values, limit) =>
        call(() => {
          const found = values.flatMap((mine) =>
            [...this.kept]
              .filter(([, each]) => each === mine)
              .slice(0, limit)
              .map(([externalId]) => ({ externalId, value: mine })),
          );
          return Promise.resolve(found);
        }),
      forget: () => call(() => Promise.resolve(this.kept.clear())),
    };
  }

  private application(call: Calls['call']): OpenedApplication {
    return {
      ...this.given.application,
      userSchema: NO_SCHEMA,
      textOf: (user) => user['value'] as string | undefined,
      find: (values) =>
        call(() => {
          if (!this.given.application.canFind) throw new Error('users cannot be found');
          const texts = new Set(values.map(({ text }) => text));
          const all = [...this.users, ...this.created];
          const found = all.filter((user) => user.value !== null && texts.has(user.value));
          return Promise.resolve(found.map(({ id, value: text }) => ({ id, text: text ?? '' })));
        }),
      upsert: (users) =>
        call(() => this.answered(this.upsert(users))).catch((error: unknown) => {
          if (!(error instanceof Away)) throw error;
          return {
            kind: 'unavailable',
            reason: 'no answer',
            taken: users.length,
            executed: 'unknown',
          };
        }),
    };
  }

  private answered(result: UpsertResult): Promise<UpsertResult> {
    this.writes += 1;
    return this.given.lostAnswers.includes(this.writes)
      ? Promise.reject(new Away('the answer is lost'))
      : Promise.resolve(result);
  }

  private upsert(users: readonly OutgoingUser[]): UpsertResult {
    const { maxUsers, isStrict } = this.given.application;
    expect(users.length).toBeLessThanOrEqual(maxUsers);
    const isRefused = users.some(({ values }) => values['fate'] === 'refused');
    if (isStrict && isRefused)
      return { kind: 'rejected', reason: 'refused', taken: users.length, executed: 'no' };
    return { kind: 'answered', outcomes: users.map((user) => this.write(user)) };
  }

  private write({ id, values, idempotencyKey }: OutgoingUser): UserOutcome {
    const known = this.known.get(idempotencyKey);
    if (known !== undefined && this.given.application.findsRepetitions) return known;
    const outcome = this.written(id, values);
    this.known.set(idempotencyKey, outcome);
    return outcome;
  }

  private written(id: string | null, values: RecordValue): UserOutcome {
    if (values['fate'] === 'refused') return { kind: 'rejected', reason: 'refused' };
    const text = (name: string): string => values[name] as string;
    if (id === null) {
      const note = `${text('purpose')} ${text('note')} ${text('value')}`;
      this.created.push({ id: `n${String(this.created.length)}`, value: text('value'), note });
      return { kind: 'written' };
    }
    const user = this.users.find((each) => each.id === id);
    if (user === undefined) throw new Error('a user that was created is changed');
    expect(values).not.toHaveProperty('value');
    user.note = `${text('purpose')} ${text('note')}`;
    return { kind: 'written' };
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
    else if (ended instanceof WholeRunError) throw ended;
    else if (ended instanceof Error && !(ended instanceof Crash)) throw ended;
  }
  const shown = world.ledger.now;
  for (const { calls } of sleepers) calls.wake();
  const late = await Promise.all(sleepers.map(({ ending }) => ending));
  return { world, shown, late };
};

const byValue = (users: readonly StoredUser[]): readonly string[] =>
  users.map(({ note }) => note).sort();

it('users are created, changed and counted the same, whatever happens to workers and the application', async () => {
  await fc.assert(
    fc.asyncProperty(aCase, async (given) => {
      const { world, shown, late } = await performed(given);
      const { passed, failed, users, created } = expected(given);
      const isKnown = given.application.findsRepetitions || given.application.canFind;
      const unconfirmed = world.ledger.countOf('Unconfirmed');
      const isCalm = given.accidents.length === 0 && given.lostAnswers.length === 0;
      if (isKnown || isCalm) expect(unconfirmed).toBe(0);
      const finalized = (counts: readonly number[], more: number) =>
        counts.map((count, at) => (at === 5 ? count + more : count));
      const refused = shown.failed[5]! - failed[5]!;
      expect(refused).toBeLessThanOrEqual(unconfirmed);
      expect(shown).toMatchObject({
        passed: finalized(passed, -refused),
        failed: finalized(failed, refused),
      });
      expect(byValue(world.users)).toEqual(byValue(users));
      if (unconfirmed === 0) expect(byValue(world.created)).toEqual(byValue(created));
      expect(new Set(world.created.map((each) => each.value)).size).toBe(world.created.length);
      for (const each of late) if (each !== undefined) expect(each).toBeInstanceOf(LeaseLost);
    }),
    { numRuns: RUNS },
  );
});
