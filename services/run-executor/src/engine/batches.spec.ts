import { newRecord } from '@penstock/schema';
import { Batches, MAX_BATCH_UNITS } from './batches';
import type { SourcePage, SourceRecord } from './record-source';

const recordOf = (id: number, length: number): SourceRecord => ({
  ...{ id: String(id), updatedAt: null, fault: null },
  values: Object.assign(newRecord(), { list: ['x'.repeat(length)] }),
});

/** Pages of one record each. @param given is called with each number before it is given */
async function* pagesOf(
  count: number,
  length: number,
  given: (id: number) => void,
): AsyncGenerator<SourcePage> {
  const extent = { total: count, share: null };
  for (let id = 0; id < count; id += 1) {
    given(id);
    yield await Promise.resolve({
      ...{ records: [recordOf(id, length)], extent },
      positionAfter: () => ({ kind: 'record', record: id + 1 }) as never,
    });
  }
}

const batchesOf = async (count: number, length: number, size: number) => {
  let read = 0;
  const pages = pagesOf(count, length, () => (read += 1));
  const { signal } = new AbortController();
  const batches = new Batches(pages, { size, stallMs: 10_000 }, signal, () => true);
  const sizes: number[] = [];
  const ahead: number[] = [];
  const ids: (string | null)[] = [];
  for (let batch = await batches.next(); batch !== undefined; batch = await batches.next()) {
    // What is read ahead is read by then.
    await new Promise((resolve) => setTimeout(resolve, 5));
    sizes.push(batch.records.length);
    ids.push(...batch.records.map(({ id }) => id));
    ahead.push(read - ids.length);
  }
  await batches.close();
  expect(ids).toEqual(Array.from({ length: count }, (_, id) => String(id)));
  return { sizes, ahead: Math.max(...ahead) };
};

it('a batch of large records is closed before it is full, and no more of them are read ahead', async () => {
  const { sizes, ahead } = await batchesOf(30, MAX_BATCH_UNITS / 4, 1_000);
  // The last record of a batch takes it beyond the limit.
  expect(sizes).toEqual([4, 4, 4, 4, 4, 4, 4, 2]);
  expect(ahead).toBeLessThanOrEqual(9);
});

it('a record that is larger than a batch may be is a batch', async () => {
  const { sizes, ahead } = await batchesOf(4, 2 * MAX_BATCH_UNITS, 1_000);
  expect(sizes).toEqual([1, 1, 1, 1]);
  expect(ahead).toBeLessThanOrEqual(2);
});

it('a batch of small records is full', async () => {
  const { sizes, ahead } = await batchesOf(35, 10, 10);
  expect(sizes).toEqual([10, 10, 10, 5]);
  expect(ahead).toBeLessThanOrEqual(21);
});
