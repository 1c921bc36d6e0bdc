import { newRecord } from '@penstock/schema';
import { Away } from './away';
import type { ExportedFile } from './exported-file';
import { FakeLedger } from './fake-ledger.fixture';
import { NO_SCHEMA } from './fake-source.fixture';
import { FileExport } from './file-export';
import { Patience } from './patience';
import type { RecordSource, SourcePage, SourceRecord } from './record-source';

const PATIENCE = { backoffBaseMs: 0, backoffCapMs: 0, limitMs: 60_000, functionLimitMs: 60_000 };

/** Two batches of two profiles: the filter takes both of the first one, and none of the second. */
const records = [true, true, false, false].map((isWanted, index): SourceRecord => {
  const id = `p${String(index)}`;
  return { id, updatedAt: null, fault: null, isLeftOut: !isWanted, values: newRecord() };
});

async function* pages(): AsyncGenerator<SourcePage> {
  const extent = { total: records.length, share: null };
  const positionAfter = () => ({ kind: 'file', isComplete: false }) as const;
  yield await Promise.resolve({ records, extent, positionAfter });
}

const source: RecordSource = {
  open: () =>
    Promise.resolve({
      ...{ schema: NO_SCHEMA, warnings: [], restarted: null },
      ...{ pages: pages(), close: () => Promise.resolve() },
    }),
};

it.each([
  ['the storage', 'Finalize'],
  ['the warehouse', 'Receive'],
])('gives up after the patience when %s is away, at its step', async (away, step) => {
  const { run, ledger } = new FakeLedger({ incremental: null, startingCursor: null }).claim();
  const { signal } = new AbortController();
  const patience = () => new Patience({ ...PATIENCE, limitMs: 20 }, signal, () => undefined);
  let written = 0;
  const file: ExportedFile = {
    isRepeatable: true,
    problemOf: () => undefined,
    write: async (batches) => {
      written += 1;
      for await (const batch of batches) if (batch.length > 0) throw new Away('full');
    },
  };
  const lost: RecordSource = { open: () => Promise.reject(new Away('gone')) };
  const parts = {
    ...{ source: away === 'the storage' ? source : lost, inSchema: NO_SCHEMA, file, ledger },
    ...{ limits: { size: 2, stallMs: 50 }, patience: patience(), attempts: patience() },
  };
  const performing = new FileExport(run, parts, signal).perform();
  await expect(performing).rejects.toMatchObject({ step, code: 'Unavailable' });
  expect(written > 1).toBe(away === 'the storage');
});

it('counts nothing of an attempt that has failed, though it was about to count when the storage was lost', async () => {
  const fake = new FakeLedger({ incremental: null, startingCursor: null });
  const { run, ledger } = fake.claim();
  const { signal } = new AbortController();
  const patience = (): Patience => new Patience(PATIENCE, signal, () => undefined);
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  let [settled, attempts] = [0, 0];
  const file: ExportedFile = {
    isRepeatable: true,
    problemOf: () => undefined,
    write: async (batches) => {
      attempts += 1;
      const reading = batches[Symbol.asyncIterator]();
      if (attempts === 1) {
        // Who compresses reads on while the storage is written to.
        await reading.next();
        void reading.next();
        setTimeout(open, 300);
        throw new Away('the storage is lost');
      }
      while ((await reading.next()).done !== true);
    },
  };
  const parts = {
    ...{ source, inSchema: NO_SCHEMA, file, limits: { size: 2, stallMs: 50 } },
    ...{ patience: patience(), attempts: patience() },
    ledger: {
      ...ledger,
      settle: async (batch: Parameters<typeof ledger.settle>[0]) => {
        settled += 1;
        if (settled === 2) await opened;
        return ledger.settle(batch);
      },
      restart: async (...all: Parameters<typeof ledger.restart>) => {
        await ledger.restart(...all);
        open();
        // What was held up is recorded behind it.
        await new Promise((resolve) => setTimeout(resolve, 20));
      },
    },
  };
  await new FileExport(run, parts, signal).perform();
  expect(attempts).toBe(2);
  expect(fake.now).toMatchObject({ passed: [4, 4, 2, 0, 0, 2], failed: [0, 0, 2, 0, 0, 0] });
});
