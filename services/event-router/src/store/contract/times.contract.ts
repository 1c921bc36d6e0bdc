import type { ConnectionId } from '@penstock/contracts';
import { sourceKey, timesKey } from '../changes';
import { acquired, changesOf, OTHER_PIPELINE, PIPELINE } from './changes.fixture';
import type { StoreHarness } from './store-harness';

const SOURCE = 'source00000000a' as ConnectionId;

/** Times of deliveries and events of sources are added up by minute. */
export const itCountsTimes = ({ open, stored }: StoreHarness): void => {
  it('adds retries and latencies of a pipeline and minute, from all partitions', async () => {
    const store = await open('one');
    const grants = await store.acquire([0, 1]);
    const [first, later] = [timesKey(PIPELINE, 0), timesKey(PIPELINE, 60_000)];
    const latencies = new Map([
      [7, 2],
      [3, 1],
    ]);
    await store.commit([
      changesOf(grants[0]!, 1, {
        times: new Map([
          [first, { retries: 1, latencies }],
          [later, { retries: 4, latencies: new Map() }],
          [timesKey(OTHER_PIPELINE, 0), { retries: 0, latencies: new Map([[276, 9]]) }],
        ]),
      }),
      changesOf(grants[1]!, 1, { times: new Map([[first, { retries: 2, latencies }]]) }),
    ]);
    const more = new Map([
      [first, { retries: 5, latencies: new Map([[7, 1], [9, 1]]) }], // prettier-ignore
      [later, { retries: 0, latencies: new Map([[0, 1]]) }],
    ]);
    await store.commit([changesOf(grants[0]!, 2, { times: more })]);
    expect((await stored()).times).toEqual([
      { pipeline: PIPELINE, minute: 0, retries: 8, latencies: [[3, 2], [7, 5], [9, 1]] }, // prettier-ignore
      { pipeline: PIPELINE, minute: 1, retries: 4, latencies: [[0, 1]] },
      { pipeline: OTHER_PIPELINE, minute: 0, retries: 0, latencies: [[276, 9]] },
    ]);
  });

  it('notes since when events wait, by partition, for its owner', async () => {
    const [store, other] = [await open('one'), await open('other')];
    const grants = await store.acquire([0, 1]);
    await store.noteWaiting(grants[0]!, new Map([['a', 1_000], ['b', 2_000]])); // prettier-ignore
    await store.noteWaiting(grants[1]!, new Map([['a', 3_000]]));
    await store.noteWaiting(grants[0]!, new Map([['b', 2_500], ['c', 4_000]])); // prettier-ignore
    const noted = [[0, 'b', 2_500], [0, 'c', 4_000], [1, 'a', 3_000]]; // prettier-ignore
    expect((await stored()).waiting).toEqual(noted);
    await store.release([grants[1]!]);
    const taken = await acquired(other, 1);
    await store.noteWaiting(grants[1]!, new Map([['z', 1]]));
    expect((await stored()).waiting).toEqual(noted);
    await other.noteWaiting(taken, new Map());
    expect((await stored()).waiting).toEqual(noted.slice(0, 2));
  });

  it('adds events of a source by kind and minute', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const sources = new Map([
      [sourceKey(SOURCE, 'New', 0), 3],
      [sourceKey(SOURCE, 'New', 60_000), 1],
      [sourceKey(SOURCE, 'Suppressed', 0), 2],
    ]);
    await store.commit([changesOf(grant, 1, { sources })]);
    await store.commit([changesOf(grant, 2, { sources })]);
    expect((await stored()).sources).toEqual([
      { source: SOURCE, kind: 'New', minute: 0, count: 6 },
      { source: SOURCE, kind: 'New', minute: 1, count: 2 },
      { source: SOURCE, kind: 'Suppressed', minute: 0, count: 4 },
    ]);
  });
};
