import { createHash } from 'node:crypto';
import type { RunFact, RunId } from '@penstock/contracts';
import fc from 'fast-check';
import { type FoldedRun, runAfter } from '../audit/folded-run';
import { LeaseLost } from '../engine/lease-lost';
import type { TakenKey } from '../engine/run-ledger';
import type { PostgresRunStore } from './postgres-run-store';
import type { RunEnding } from './run-store';
import { aBatch, aRun, StoreDatabase, WORKSPACE } from './store.fixture';

jest.setTimeout(600_000);

/** The long form tries new values. */
const RANDOM =
  process.env['PENSTOCK_TEST_LONG'] === '1' ? { numRuns: 30 } : { numRuns: 10, seed: 1 };

const database = StoreDatabase.forEachTest();
let store: PostgresRunStore;

beforeEach(async () => {
  store = await database.open();
});

const claimed = async () => {
  const run = await store.claim('w1');
  if (run === undefined) throw new Error('there is nothing to claim');
  return run;
};

const claimedExport = async () => {
  await store.accept([aRun({ incremental: null })]);
  return claimed();
};

const keyOf = (key: string, profile: string): TakenKey => ({
  key: createHash('sha256').update(key).digest(),
  profile,
});

/** Of few keys, so that some are wanted again. */
const BATCH = fc.uniqueArray(fc.integer({ min: 0, max: 30 }).map(String), {
  minLength: 1,
  maxLength: 4,
});

const ENDED: RunEnding = {
  ...{ status: 'Failed', cursor: null, step: 'Finalize', code: 'x', error: 'y', purged: 0 },
  warnings: [],
};

/** The history shows the first fact of a run as its request. */
const storedType = (type: string): string => (type === 'RunRequested' ? 'RunAccepted' : type);

const folded = async (run: RunId): Promise<FoldedRun | undefined> => {
  const facts = await store.factsOf(run, { limit: 100, after: '' });
  return facts.reduce<FoldedRun | undefined>(
    (fold, { view }) =>
      runAfter(fold, {
        type: storedType(view.type),
        data: JSON.parse(view.data) as unknown,
      } as RunFact),
    undefined,
  );
};

describe('keys', () => {
  it('stay with the profile that has taken them first, however often they are asked for', async () => {
    const { run, epoch } = await claimedExport();
    const ledger = store.ledger(run, epoch);
    expect(await ledger.takeKeys(1, [keyOf('a', 'p1'), keyOf('b', 'p2')])).toEqual(
      new Set(['p1', 'p2']),
    );
    expect(await ledger.takeKeys(1, [keyOf('a', 'p1'), keyOf('b', 'p2')])).toEqual(
      new Set(['p1', 'p2']),
    );
    expect(await ledger.takeKeys(2, [keyOf('b', 'p3'), keyOf('c', 'p4')])).toEqual(
      new Set(['p2', 'p4']),
    );
  });

  it('have one owner each, in any batches that want some again', () =>
    fc.assert(
      fc.asyncProperty(fc.array(BATCH, { maxLength: 8 }), async (batches) => {
        const { run, epoch } = await claimedExport();
        const ledger = store.ledger(run, epoch);
        const owners = new Map<string, string>();
        for (const [index, names] of batches.entries()) {
          const wanted = names.map((name, at) => keyOf(name, `p${String(index)}-${String(at)}`));
          for (const [at, name] of names.entries())
            owners.set(name, owners.get(name) ?? wanted[at]!.profile);
          expect(await ledger.takeKeys(index + 1, wanted)).toEqual(
            new Set(names.map((name) => owners.get(name))),
          );
        }
        await store.end(run, epoch, ENDED);
      }),
      { ...RANDOM, endOnFailure: true },
    ));

  it('are refused of a worker that has lost the run', async () => {
    const { run, epoch } = await claimedExport();
    await store.release(run, epoch);
    await claimed();
    const ledger = store.ledger(run, epoch);
    await expect(ledger.takeKeys(1, [keyOf('a', 'p1')])).rejects.toBeInstanceOf(LeaseLost);
    await expect(ledger.check()).rejects.toBeInstanceOf(LeaseLost);
    await ledger.forgetUnsettledKeys();
  });

  it('of a batch that was never settled are forgotten by the next worker, no others', async () => {
    const first = await claimedExport();
    const { run } = first;
    const before = store.ledger(run, first.epoch);
    await before.takeKeys(1, [keyOf('a', 'p1')]);
    await before.settle(aBatch(1));
    await before.takeKeys(2, [keyOf('b', 'p2')]);
    await store.release(run, first.epoch);
    const { epoch } = await claimed();
    const ledger = store.ledger(run, epoch);
    await ledger.forgetUnsettledKeys();
    expect(await ledger.takeKeys(3, [keyOf('a', 'p8'), keyOf('b', 'p9')])).toEqual(
      new Set(['p1', 'p9']),
    );
    await ledger.check();
  });

  it('go with the run when it is cleaned up, of no other run', async () => {
    const one = await claimedExport();
    const other = await claimedExport();
    const many = Array.from({ length: 50 }, (_, n) => keyOf(String(n), `p${String(n)}`));
    await store.ledger(one.run, one.epoch).takeKeys(1, many);
    await store.ledger(other.run, other.epoch).takeKeys(1, many);
    await store.forgetKeys(one.run);
    const { rows } = await database.pool.query(
      'SELECT run, count(*)::int AS count FROM penstock_runs.export_keys GROUP BY run',
    );
    expect(rows).toEqual([{ run: other.run, count: 50 }]);
    await store.erase(WORKSPACE);
    const left = await database.pool.query('SELECT FROM penstock_runs.export_keys');
    expect(left.rowCount).toBe(0);
  });

  it('that are taken while the workspace is erased go with it', async () => {
    const { run, epoch } = await claimedExport();
    const ledger = store.ledger(run, epoch);
    const taking = Array.from({ length: 40 }, (_, n) =>
      ledger.takeKeys(n + 1, [keyOf(String(n), `p${String(n)}`)]).catch((error: unknown) => error),
    );
    await taking[0];
    await store.erase(WORKSPACE);
    for (const taken of await Promise.all(taking))
      if (!(taken instanceof Set)) expect(taken).toBeInstanceOf(LeaseLost);
    const left = await database.pool.query('SELECT FROM penstock_runs.export_keys');
    expect(left.rowCount).toBe(0);
  });
});

describe('the end of an export', () => {
  it('of a file that was not completed counts every record of it as failed', async () => {
    const { run, epoch } = await claimedExport();
    const ledger = store.ledger(run, epoch);
    const batch = { ...aBatch(1), duplicates: 0, withoutId: 0, cursor: null, errors: [] };
    await ledger.settle({ ...batch, passed: [10, 10, 8, 0, 0, 0], failed: [0, 0, 2, 0, 0, 1] });
    await store.end(run, epoch, ENDED);
    const found = await store.find(WORKSPACE, run);
    await store.finish(run, 'told');
    const ended = await store.find(WORKSPACE, run);
    expect(found?.endTime).toBeNull();
    expect(ended).toMatchObject({ passed: [10, 10, 8, 0, 0, 0], failed: [0, 0, 2, 0, 0, 8] });
    const errors = await store.errorsOf(run, { limit: 10, after: '' });
    expect(errors.map(({ view }) => view)).toMatchObject([
      { step: 'Finalize', code: 'NotWritten', count: 7, samples: [] },
    ]);
    expect(await folded(run)).toMatchObject({ status: 'Failed', failed: [0, 0, 2, 0, 0, 8] });
  });

  it.each([
    ['a file that was completed', [10, 10, 8, 0, 0, 8], [0, 0, 2, 0, 0, 0], null],
    ['a table', [10, 10, 8, 7, 6, 5], [0, 0, 2, 1, 1, 1], null],
    ['an import that is none', [10, 10, 8, 0, 0, 0], [0, 0, 2, 0, 0, 0], false],
  ])('of %s changes no counter', async (_, passed, failed, incremental) => {
    await store.accept([aRun({ incremental })]);
    const { run, epoch } = await claimed();
    const batch = { ...aBatch(1), duplicates: 0, withoutId: 0, cursor: null, errors: [] };
    await store.ledger(run, epoch).settle({ ...batch, passed, failed });
    await store.end(run, epoch, ENDED);
    await store.finish(run, 'told');
    expect(await store.find(WORKSPACE, run)).toMatchObject({ passed, failed });
    expect(await folded(run)).toMatchObject({ passed, failed });
  });

  it('that has ended is known as one', async () => {
    const { run, epoch } = await claimedExport();
    await store.ledger(run, epoch).settle(aBatch(1));
    await store.end(run, epoch, ENDED);
    const left = await store.left('told', 10, { runs: [], workspaces: [] });
    expect(left).toMatchObject([{ run, isExport: true }]);
  });

  it('that is cancelled without its worker keeps the warehouse out of it', async () => {
    const { run } = await claimedExport();
    await store.requestCancel(run, { reason: 'Requested' });
    await database.pass(60_000);
    expect(await store.takeCancelled(1_000)).toMatchObject([{ run, mayWrite: false }]);
  });
});
