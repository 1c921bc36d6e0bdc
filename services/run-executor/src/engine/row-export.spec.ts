import { hash } from 'node:crypto';
import { newRecord, textOf, type RecordValue } from '@penstock/schema';
import { FakeLedger } from './fake-ledger.fixture';
import { NO_SCHEMA } from './fake-source.fixture';
import { Patience } from './patience';
import type { RecordSource, SourcePage } from './record-source';
import type { RowDestination } from './row-destination';
import { RowExport } from './row-export';
import { WholeRunError } from './whole-run-error';

const PATIENCE = { backoffBaseMs: 0, backoffCapMs: 0, limitMs: 60_000, functionLimitMs: 60_000 };

/** So many profiles, one a page. @param end what the source waits for behind them */
const sourceOf = (count: number, end: (signal: AbortSignal) => Promise<void>): RecordSource => {
  async function* pages(signal: AbortSignal): AsyncGenerator<SourcePage> {
    for (let key = 0; key < count; key += 1) {
      const id = `p${String(key)}`;
      const values = Object.assign(newRecord(), { key });
      yield await Promise.resolve({
        records: [{ id, updatedAt: null, fault: null, isLeftOut: false, values }],
        extent: { total: count, share: null },
        positionAfter: () => ({ kind: 'profile', id }),
      });
    }
    await end(signal);
  }
  return {
    open: ({ signal }) =>
      Promise.resolve({
        ...{ schema: NO_SCHEMA, warnings: [], restarted: null },
        ...{ pages: pages(signal), close: () => Promise.resolve() },
      }),
  };
};

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve();
    });
  });

/** An export of single profiles, and the ledger that it has. @param did is told what is done with which profile */
const exportOf = (
  source: RecordSource,
  merge: (key: number) => Promise<void>,
  did: (what: string) => void,
  fake = new FakeLedger({ incremental: null, startingCursor: null }),
  equalTexts: (keys: readonly string[]) => readonly string[] = (keys) => keys,
) => {
  const { run, ledger } = fake.claim();
  const { signal } = new AbortController();
  const destination: RowDestination = {
    open: () => Promise.resolve(),
    equalTexts: (keys) => Promise.resolve(equalTexts(keys)),
    merge: async ([row]) => {
      const key = Number(row?.['key']);
      did(`merge ${String(key)}`);
      await merge(key);
      return [undefined];
    },
    close: () => Promise.resolve(),
  };
  const parts = {
    ...{ source, inSchema: NO_SCHEMA, destination, limits: { size: 1, stallMs: 50 } },
    steps: {
      apply: (all: readonly RecordValue[]) => Promise.resolve(all.map((values) => ({ values }))),
    },
    key: { name: 'key', type: { kind: 'year' } as const },
    ledger: {
      ...ledger,
      takeKeys: (...[batch, keys]: Parameters<typeof ledger.takeKeys>) => {
        did(`take ${String(batch - 1)}`);
        return ledger.takeKeys(batch, keys);
      },
      settle: (batch: Parameters<typeof ledger.settle>[0]) => {
        did(`settle ${String(batch.sequence - 1)}`);
        return ledger.settle(batch);
      },
    },
    patience: new Patience(PATIENCE, signal, () => undefined),
  };
  return { fake, performing: new RowExport(run, parts, signal).perform() };
};

it('prepares the next batch while one is merged, and merges and settles them one by one', async () => {
  const done: string[] = [];
  const merging = (key: number): Promise<void> =>
    new Promise((resolve) => {
      // The next one has its keys before this one ends, unless there is none.
      const look = (): void => {
        if (key === 3 || done.includes(`take ${String(key + 1)}`)) resolve();
        else setImmediate(look);
      };
      look();
    });
  const { fake, performing } = exportOf(
    sourceOf(4, () => Promise.resolve()),
    merging,
    (what) => done.push(what),
  );
  await performing;
  expect(done.filter((what) => !what.startsWith('take'))).toEqual(
    [0, 1, 2, 3].flatMap((key) => [`merge ${String(key)}`, `settle ${String(key)}`]),
  );
  expect(fake.now.passed).toEqual([4, 4, 4, 4, 4, 4]);
});

it('counts profiles once whose keys the destination takes for one', async () => {
  const merged: string[] = [];
  const { fake, performing } = exportOf(
    sourceOf(4, () => Promise.resolve()),
    () => Promise.resolve(),
    (what) => what.startsWith('merge') && merged.push(what),
    new FakeLedger({ incremental: null, startingCursor: null }),
    (keys) => keys.map((key) => String(Number(key) % 3)),
  );
  await performing;
  expect(merged).toEqual(['merge 0', 'merge 1', 'merge 2']);
  expect(fake.now).toMatchObject({ passed: [4, 4, 4, 4, 3, 3], failed: [0, 0, 0, 0, 1, 0] });
  expect(fake.countOf('DuplicateKey')).toBe(1);
});

it('forgets the keys of a batch that was lost: its profiles may have others by now, or be gone', async () => {
  const fake = new FakeLedger({ incremental: null, startingCursor: null });
  const key = hash('sha256', textOf({ kind: 'year' }, 0), 'buffer');
  await fake.claim().ledger.takeKeys(1, [{ key, profile: 'gone' }]);
  const [source, merging] = [sourceOf(2, () => Promise.resolve()), () => Promise.resolve()];
  await exportOf(source, merging, () => undefined, fake).performing;
  expect(fake.now.passed).toEqual([2, 2, 2, 2, 2, 2]);
});

it('ends with what merging has failed with, though the source gives nothing more', async () => {
  const failed = new WholeRunError('Finalize', 'TableNotExist', 'there is no such table');
  const merging = (key: number): Promise<void> =>
    key === 1 ? Promise.reject(failed) : Promise.resolve();
  const { fake, performing } = exportOf(sourceOf(2, untilAborted), merging, () => undefined);
  await expect(performing).rejects.toBe(failed);
  expect(fake.now.passed).toEqual([1, 1, 1, 1, 1, 1]);
});
