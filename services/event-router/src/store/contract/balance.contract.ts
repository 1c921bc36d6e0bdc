import type { WorkspaceId } from '@penstock/contracts';
import { countKey } from '../changes';
import {
  acquired,
  changesOf,
  cursorAt,
  openDelivery,
  OTHER_PIPELINE,
  PIPELINE,
  storedDelivery,
} from './changes.fixture';
import type { StoreHarness } from './store-harness';

const CHECKED = [PIPELINE, OTHER_PIPELINE].map((pipeline) => ({
  pipeline,
  workspace: 'workspace00000a' as WorkspaceId,
}));

const matched = (count: number) =>
  new Map([[countKey(PIPELINE, { state: 'Matched', step: 'Filter', code: '' }, 0), count]]);

/** Open deliveries are counted as they are. */
export const itTellsWhatIsUnbalanced = ({ open }: StoreHarness): void => {
  it('finds no difference while each opened delivery is open, stored, left to a key, or has ended', async () => {
    const store = await open('one');
    const grants = await store.acquire([0, 1]);
    expect(await store.unbalanced(CHECKED)).toEqual([]);
    const owed = new Map([[PIPELINE, 3]]);
    await store.commit([
      changesOf(grants[0]!, 1, {
        counts: matched(7),
        open: [openDelivery()],
        stored: [storedDelivery({ offset: 1 }), storedDelivery({ offset: 2, state: 'Parked' })],
        cursors: [cursorAt({ orderKey: 'k', owed })],
      }),
      changesOf(grants[1]!, 1, { open: [openDelivery()] }),
    ]);
    const ended = countKey(PIPELINE, { state: 'Parked', step: 'Finalize', code: 'Late' }, 0);
    expect(await store.unbalanced(CHECKED)).toEqual([PIPELINE]);
    await store.commit([changesOf(grants[0]!, 2, { counts: new Map([[ended, 1]]) })]);
    expect(await store.unbalanced(CHECKED)).toEqual([]);
    expect(await store.rollUp(100)).toBe(false);
    expect(await store.unbalanced(CHECKED)).toEqual([]);
  });

  it('names only the pipelines for which it does not hold', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    await store.commit([changesOf(grant, 1, { counts: matched(1) })]);
    expect(await store.unbalanced(CHECKED)).toEqual([PIPELINE]);
    expect(await store.unbalanced(CHECKED.slice(1))).toEqual([]);
  });
};
