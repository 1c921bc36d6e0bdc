import type { ConnectionId, PipelineId } from '@penstock/contracts';
import { newRecord } from '@penstock/schema';
import type { IdentityBatch, Settled, SettledAs } from '../platform/warehouse-writer';
import { BatchOutcomes } from './batch-outcomes';

/** A batch of one update for each record id. */
const batchOf = (
  ids: readonly string[],
  settled?: ReadonlyMap<string, SettledAs>,
): IdentityBatch => ({
  ...{ pipeline: 'p' as PipelineId, connection: 'c' as ConnectionId },
  updates: ids.map((recordId) => ({
    ...{ kind: 'record', recordId, updatedAtUs: 0n, tieBreaker: '', values: newRecord() },
  })),
  ...(settled && { run: { id: 'run', batch: 7, settled } }),
});

const NONE: ReadonlyMap<string, Settled> = new Map();

it('updates of events are merged, or refused with the reason', () => {
  const outcomes = new BatchOutcomes(batchOf(['a', 'b', 'a', 'c']), new Map([[1, 'is empty']]));
  outcomes.refuse([2], 'holds NUL');
  expect(outcomes.list(NONE)).toEqual([{}, { refused: 'is empty' }, { refused: 'holds NUL' }, {}]);
});

it('a run is told what has become of each id before, in this batch or in another', () => {
  const settled = new Map<string, SettledAs>([['counted', 'Filter']]);
  const ids = ['a', 'a', 'known', 'bad', 'bad', 'counted', 'counted'];
  const outcomes = new BatchOutcomes(batchOf(ids, settled), new Map([[3, 'is empty']]));
  const known: Settled = { as: 'Transformation', batch: 2 };
  expect(outcomes.list(new Map([['known', known]]))).toEqual([
    {},
    { before: { as: 'Merged', batch: 7 } },
    { before: known },
    { refused: 'is empty' },
    { before: { as: 'Finalize', batch: 7 } },
    {},
    { before: { as: 'Filter', batch: 7 } },
  ]);
});

it('each id of a run is written once, by what its first update has become', () => {
  const settled = new Map<string, SettledAs>([['counted', 'Filter']]);
  const ids = ['a', 'bad', 'a', 'counted', 'late', 'bad', 'late'];
  const outcomes = new BatchOutcomes(batchOf(ids, settled), new Map([[1, 'x']]));
  outcomes.refuse([3, 6], 'y');
  expect(outcomes.writtenIds({ id: 'run', batch: 7, settled })).toEqual({
    merged: ['a', 'late'],
    refused: ['bad'],
    counted: ['counted'],
  });
});
