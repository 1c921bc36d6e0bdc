import type { RunId, StepCounts } from '@penstock/contracts';
import { LeaseLost } from '../engine/lease-lost';
import type { RunLedger } from '../engine/run-ledger';
import type { TalliedErrors } from '../engine/tally';
import type { PostgresRunStore } from './postgres-run-store';
import type { ClaimedRun } from './run-store';
import { aBatch, aRun, LEASE_MS, StoreDatabase, WORKSPACE } from './store.fixture';

jest.setTimeout(600_000);

const database = StoreDatabase.forEachTest();
let store: PostgresRunStore;

beforeEach(async () => {
  store = await database.open();
});

const claimed = async (): Promise<ClaimedRun> => {
  const run = await store.claim('w1');
  if (run === undefined) throw new Error('there is nothing to claim');
  return run;
};

const NONE: StepCounts = [0, 0, 0, 0, 0, 0];

const group = (
  code: string,
  count: number,
  members: Partial<TalliedErrors> = {},
): TalliedErrors => ({
  ...{
    step: 'Transformation',
    code,
    message: `it is ${code}`,
    count,
    samples: [`${code} ${count}`],
  },
  ...members,
});

const WITHOUT_ID = group('InvalidId', 10, { step: 'Receive', withoutId: 10, samples: [] });

const failedAt = (step: number, count: number): StepCounts =>
  NONE.map((_, index) => (index === step ? count : 0));

/** A batch of which so many records failed for these reasons, and others at `Transformation` for those of an earlier reading. */
const settle = (
  ledger: RunLedger,
  sequence: number,
  errors: readonly TalliedErrors[],
  recounted = 0,
): Promise<void> => {
  const count = (step: string): number =>
    errors.reduce((sum, each) => (each.step === step ? sum + each.count : sum), 0);
  const failed = [count('Receive'), 0, 0, count('Transformation') + recounted, 0, 0];
  const batch = aBatch(sequence, { errors, recounted: failedAt(3, recounted), failed });
  return ledger.settle({ ...batch, passed: NONE, duplicates: 0, withoutId: 0 });
};

const errorsOf = async (run: RunId): Promise<Record<string, number>> => {
  const found = await store.errorsOf(run, { limit: 100, after: '' });
  return Object.fromEntries(found.map(({ view }) => [view.code, view.count]));
};

const failedOf = async (run: RunId): Promise<StepCounts | undefined> =>
  (await store.find(WORKSPACE, run))?.progress?.failed;

describe('after a reading that begins anew', () => {
  it('the errors of an import are those of its counters, also of other runs beside it', async () => {
    await store.accept([aRun(), aRun()]);
    const [one, other] = [await claimed(), await claimed()];
    const ledger = store.ledger(one.run, one.epoch);
    const beside = store.ledger(other.run, other.epoch);
    await settle(ledger, 1, [WITHOUT_ID, group('Failed', 3), group('Thrown', 2)]);
    await settle(beside, 1, [WITHOUT_ID, group('Failed', 1)]);
    for (let n = 0; n < 2; n += 1) await ledger.restart('was read again', 2);
    expect(await errorsOf(one.run)).toEqual({});
    expect(await errorsOf(other.run)).toEqual({ InvalidId: 10, Failed: 1 });
    await settle(ledger, 2, [WITHOUT_ID], 4);
    expect(await failedOf(one.run)).toEqual([10, 0, 0, 4, 0, 0]);
    expect(await errorsOf(one.run)).toEqual({ InvalidId: 10, Failed: 3, Thrown: 1 });
    await settle(ledger, 3, [group('Failed', 1)], 1);
    expect(await failedOf(one.run)).toEqual([10, 0, 0, 6, 0, 0]);
    expect(await errorsOf(one.run)).toEqual({ InvalidId: 10, Failed: 4, Thrown: 2 });
    await ledger.restart('was read again', 4);
    await settle(ledger, 4, [WITHOUT_ID], 6);
    expect(await errorsOf(one.run)).toEqual({ InvalidId: 10, Failed: 4, Thrown: 2 });
    expect(await errorsOf(other.run)).toEqual({ InvalidId: 10, Failed: 1 });
  });

  it('a record counts once that may have been told of, and its reason stays when it was', async () => {
    await store.accept([aRun()]);
    const { run, epoch } = await claimed();
    const ledger = store.ledger(run, epoch);
    await settle(ledger, 1, [group('Failed', 2), group('Thrown', 1)]);
    await ledger.restart('was read again', 2);
    // Why the one has failed that had thrown is not known any more; that of another one was never told of.
    await settle(ledger, 2, [
      group('Interrupted', 1, { again: 1 }),
      group('Late', 1, { again: 1 }),
    ]);
    await settle(ledger, 3, [], 2);
    expect(await failedOf(run)).toEqual([0, 0, 0, 4, 0, 0]);
    expect(Object.values(await errorsOf(run)).reduce((sum, count) => sum + count, 0)).toBe(4);
    expect(await errorsOf(run)).toMatchObject({ Failed: 2, Thrown: 1 });
  });

  it('records that no reason is on record of are counted as interrupted', async () => {
    await store.accept([aRun()]);
    const { run, epoch } = await claimed();
    const ledger = store.ledger(run, epoch);
    await ledger.restart('was read again', 2);
    await settle(ledger, 2, [], 3);
    expect(await errorsOf(run)).toEqual({ Interrupted: 3 });
    await ledger.restart('was read again', 3);
    await settle(ledger, 3, [group('Failed', 1)], 3);
    expect(await errorsOf(run)).toEqual({ Interrupted: 3, Failed: 1 });
  });

  it('a record is named once among the samples', async () => {
    await store.accept([aRun()]);
    const { run, epoch } = await claimed();
    const ledger = store.ledger(run, epoch);
    await settle(ledger, 1, [group('Failed', 1, { samples: ['a'] })]);
    await ledger.restart('was read again', 2);
    await settle(ledger, 2, [group('Failed', 2, { again: 2, samples: ['a', 'b'] })]);
    const [found] = await store.errorsOf(run, { limit: 100, after: '' });
    expect(found?.view).toMatchObject({ count: 2, samples: ['a', 'b'] });
  });

  it('places of records are kept for the next claim, and those without an id are named anew', async () => {
    await store.accept([aRun()]);
    const first = await claimed();
    const ledger = store.ledger(first.run, first.epoch);
    const at = (...places: string[]) => ({ ...WITHOUT_ID, places });
    await settle(ledger, 1, [at('line 2', 'line 3'), group('Bad', 1, { places: ['line 4'] })]);
    await settle(ledger, 2, [at('line 9')]);
    await database.pass(LEASE_MS + 1);
    const second = await claimed();
    expect(second.placesWithoutId).toEqual(['line 2', 'line 3', 'line 9']);
    const again = store.ledger(second.run, second.epoch);
    await again.restart('was read again', 4);
    await settle(again, 4, [at('line 5')], 1);
    const views = (await store.errorsOf(first.run, { limit: 9, after: '' })).map(
      ({ view }) => view,
    );
    expect(views.map(({ places }) => places)).toEqual([['line 5'], ['line 4']]);
  });

  it('what functions have thrown is kept sealed with samples, and of no other record', async () => {
    await store.accept([aRun()]);
    const { run, epoch } = await claimed();
    const ledger = store.ledger(run, epoch, (text) => `sealed ${text}`);
    const thrown = (...ids: string[]) =>
      group('FunctionFailed', ids.length, {
        samples: ids,
        texts: new Map(ids.map((id) => [id, `by ${id}`])),
      });
    await settle(ledger, 1, [thrown(...'a b c d e f g h'.split(' '))]);
    await settle(ledger, 2, [thrown(...'i j k l'.split(' '))]);
    const [found] = await store.errorsOf(run, { limit: 9, after: '' });
    const kept = 'a b c d e f g h i j'.split(' ').map((id) => [id, `sealed by ${id}`]);
    expect(found?.view).toMatchObject({ count: 12, samples: 'a b c d e f g h i j'.split(' ') });
    expect(found?.view.texts).toEqual(Object.fromEntries(kept));
    const other = store.ledger(run, epoch, () => undefined);
    await settle(other, 3, [group('Late', 1, { samples: ['x'], texts: new Map([['x', 'y']]) })]);
    const views = (await store.errorsOf(run, { limit: 9, after: '' })).map(({ view }) => view);
    expect(views.at(-1)).toMatchObject({ samples: ['x'], texts: {} });
  });

  it('an export has the errors of its present reading only', async () => {
    await store.accept([aRun({ incremental: null })]);
    const { run, epoch } = await claimed();
    const ledger = store.ledger(run, epoch);
    await settle(ledger, 1, [group('Refused', 3), group('Gone', 1)]);
    await ledger.restart('the file could not be completed', 2);
    expect(await errorsOf(run)).toEqual({});
    await settle(ledger, 2, [group('Refused', 3)]);
    expect(await errorsOf(run)).toEqual({ Refused: 3 });
  });
});

it('a worker that has lost the run leaves its errors as they are', async () => {
  await store.accept([aRun()]);
  const { run, epoch } = await claimed();
  const old = store.ledger(run, epoch);
  await settle(old, 1, [group('Failed', 3)]);
  await database.pass(LEASE_MS + 1);
  await claimed();
  await expect(old.restart('was read again', 2)).rejects.toBeInstanceOf(LeaseLost);
  expect(await errorsOf(run)).toEqual({ Failed: 3 });
});

it('what cannot be recorded whole leaves counters and errors as they were', async () => {
  await store.accept([aRun()]);
  const { run, epoch } = await claimed();
  const ledger = store.ledger(run, epoch);
  await settle(ledger, 1, [group('Failed', 3)]);
  await database.pool.query(`
    CREATE FUNCTION penstock_runs.fails() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'lost'; END $$;
    CREATE TRIGGER fails BEFORE UPDATE ON penstock_runs.errors FOR EACH ROW EXECUTE FUNCTION penstock_runs.fails()`);
  await expect(ledger.restart('was read again', 2)).rejects.toThrow('cannot be reached');
  expect(await failedOf(run)).toEqual([0, 0, 0, 3, 0, 0]);
  expect(await errorsOf(run)).toEqual({ Failed: 3 });
});
