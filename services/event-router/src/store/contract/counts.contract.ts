import type { PipelineId } from '@penstock/contracts';
import { baseKey, type Counted, countKey, type PartitionChanges } from '../changes';
import { acquired, AUDIENCE, changesOf, OTHER_PIPELINE, PIPELINE } from './changes.fixture';
import type { StoreHarness } from './store-harness';

const counts = (
  ...given: readonly [PipelineId, Counted['state'], string, number, nowMs?: number][]
): PartitionChanges['counts'] =>
  new Map(
    given.map(([pipeline, state, code, count, nowMs = 0]) => [
      countKey(pipeline, { state, step: 'Finalize', code }, nowMs),
      count,
    ]),
  );

const audience = { id: AUDIENCE, enabled: [PIPELINE], disabled: [OTHER_PIPELINE] };

/** Every event is counted once for every pipeline of its audience. */
export const itCounts = ({ open, stored }: StoreHarness): void => {
  it('counts events that no filter has matched by subtraction', async () => {
    const store = await open('one');
    const grants = await store.acquire([0, 1]);
    const bases = new Map([
      [baseKey(AUDIENCE, 'New', 0), 100],
      [baseKey(AUDIENCE, 'New', 60_000), 10],
      [baseKey(AUDIENCE, 'Duplicate', 0), 4],
      [baseKey(AUDIENCE, 'DifferentBody', 0), 3],
      [baseKey(AUDIENCE, 'Suppressed', 0), 2],
    ]);
    await store.commit([
      changesOf(grants[0]!, 1, {
        audiences: [audience],
        bases,
        counts: counts(
          [PIPELINE, 'Matched', '', 50],
          [PIPELINE, 'Matched', '', 5, 60_000],
          [PIPELINE, 'Filtered', 'OptedOut', 7],
          [PIPELINE, 'Delivered', '', 30],
          [PIPELINE, 'Rejected', '404', 6],
          [PIPELINE, 'Parked', 'Deleted', 2],
          [PIPELINE, 'Filtered', 'Suppressed', 1],
        ),
      }),
      changesOf(grants[1]!, 1, {
        audiences: [audience],
        bases: new Map([[baseKey(AUDIENCE, 'New', 0), 1_000]]),
        counts: counts([PIPELINE, 'Delivered', '', 3]),
      }),
    ]);
    const ofPipeline = (state: string, code: string, count: number) => ({
      pipeline: PIPELINE,
      state,
      code,
      count,
    });
    const ofOther = (state: string, code: string, count: number) => ({
      ...ofPipeline(state, code, count),
      pipeline: OTHER_PIPELINE,
    });
    expect((await stored()).counts).toEqual([
      ofPipeline('Delivered', '', 33),
      ofPipeline('Duplicate', '', 4),
      ofPipeline('Duplicate', 'DifferentBody', 3),
      ofPipeline('Filtered', '', 1_110 - 55 - 7),
      ofPipeline('Filtered', 'OptedOut', 7),
      ofPipeline('Filtered', 'Suppressed', 3),
      ofPipeline('Open', '', 55 - 33 - 6 - 2 - 1),
      ofPipeline('Parked', 'Deleted', 2),
      ofPipeline('Rejected', '404', 6),
      ofOther('Duplicate', '', 4),
      ofOther('Duplicate', 'DifferentBody', 3),
      ofOther('Filtered', 'Disabled', 1_110),
      ofOther('Filtered', 'Suppressed', 2),
    ]);
  });

  it('adds to earlier counts, and leaves out counts of 0', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const bases = new Map([[baseKey(AUDIENCE, 'New', 0), 2]]);
    await store.commit([
      changesOf(grant, 1, {
        audiences: [audience],
        bases,
        counts: counts([PIPELINE, 'Matched', '', 2]),
      }),
    ]);
    await store.commit([
      changesOf(grant, 2, {
        bases,
        counts: counts([PIPELINE, 'Matched', '', 2], [PIPELINE, 'Delivered', '', 4]),
      }),
    ]);
    expect((await stored()).counts).toEqual([
      { pipeline: PIPELINE, state: 'Delivered', code: '', count: 4 },
      { pipeline: OTHER_PIPELINE, state: 'Filtered', code: 'Disabled', count: 4 },
    ]);
  });

  it('keeps a code that contains the separator', async () => {
    const store = await open('one');
    const change = { counts: counts([PIPELINE, 'Rejected', 'a|b', 1]) };
    await store.commit([changesOf(await acquired(store), 1, change)]);
    expect((await stored()).counts).toContainEqual(expect.objectContaining({ code: 'a|b' }));
  });
};
