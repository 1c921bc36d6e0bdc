import type { PipelineId } from '@penstock/contracts';
import * as fc from 'fast-check';
import type { DeliveryKey, OpenDelivery } from '../changes';
import {
  acquired,
  changesOf,
  cursorAt,
  LANE,
  openDelivery,
  OTHER_LANE,
  OTHER_PIPELINE,
  PIPELINE,
  storedDelivery,
} from './changes.fixture';
import type { StoreHarness } from './store-harness';
import { NO_PROGRESS } from '../no-progress.fixture';
import { PackedRepeats } from '../packed-repeats';
import { RANDOM } from '../../testing/random.fixture';

/** Changes of a partition's deliveries between two commits. */
interface Step {
  readonly routed: readonly PipelineId[][];
  /** Indexes of the open deliveries that are tried, and of those that end. */
  readonly tried: readonly number[];
  readonly ended: readonly number[];
  readonly isSnapshot: boolean;
}

const step: fc.Arbitrary<Step> = fc.record({
  routed: fc.array(fc.subarray([OTHER_PIPELINE, PIPELINE], { minLength: 0 }), { maxLength: 3 }),
  tried: fc.array(fc.nat(20), { maxLength: 3 }),
  ended: fc.array(fc.nat(20), { maxLength: 4 }),
  isSnapshot: fc.boolean(),
});

const keyOf = ({ offset, pipeline }: DeliveryKey): string => `${offset}/${pipeline}`;

/** The open deliveries of a partition in its owner's memory, and the changes that it commits. */
class Model {
  private open = new Map<string, OpenDelivery>();
  private next = 0;

  apply({ routed, tried, ended, isSnapshot }: Step) {
    const before = new Map(this.open);
    const changed = new Set<string>();
    for (const pipelines of routed) {
      for (const pipeline of pipelines) {
        const delivery = openDelivery({ offset: this.next, pipeline, version: this.next % 3 });
        this.open.set(keyOf(delivery), delivery);
        changed.add(keyOf(delivery));
      }
      this.next += 1;
    }
    for (const delivery of this.pick(tried)) {
      const { attempts } = delivery;
      this.open.set(keyOf(delivery), { ...delivery, attempts: attempts + 1, dueMs: this.next });
      changed.add(keyOf(delivery));
    }
    for (const delivery of this.pick(ended)) this.open.delete(keyOf(delivery));
    return {
      routed: this.next,
      open: [...changed].flatMap((key) => this.open.get(key) ?? []),
      closed: [...before.values()]
        .filter((each) => !this.open.has(keyOf(each)))
        .map(({ offset, pipeline }) => ({ offset, pipeline })),
      snapshot: isSnapshot ? this.list : null,
    };
  }

  get list(): OpenDelivery[] {
    return [...this.open.values()];
  }

  private pick(indexes: readonly number[]): OpenDelivery[] {
    const { list } = this;
    return [...new Set(indexes)].flatMap((index) => list[index] ?? []);
  }
}

/** The next owner restores exactly what was committed. */
export const itRestores = (harness: StoreHarness, runs: number): void => {
  const { open } = harness;

  it('begins without progress', async () => {
    const store = await open('one');
    expect(await store.restore(await acquired(store))).toEqual(NO_PROGRESS);
  });

  it('restores the open deliveries from any sequence of commits, with snapshots or without', async () => {
    const [one, other] = [await open('one'), await open('other')];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        await one.beginAnew(await one.log('log'), 'log', [0]);
        let grant = await acquired(one);
        const model = new Model();
        for (const [at, each] of steps.entries())
          await one.commit([changesOf(grant, at + 1, model.apply(each))]);
        await one.release([grant]);
        grant = await acquired(other);
        const { open: found, sequence, routed } = await other.restore(grant);
        expect(found).toEqual(model.list);
        expect({ sequence, routed }).toEqual({
          sequence: steps.length,
          routed: model.apply(NOTHING).routed,
        });
        await other.release([grant]);
      }),
      { ...RANDOM, numRuns: runs, endOnFailure: true },
    );
  });

  it('keeps the mark of the last routed record until there is another', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const mark = { offset: 2 ** 40, timestampMs: 1_700_000_000_123, crc: 2 ** 32 - 1 };
    await store.commit([changesOf(grant, 1, { mark })]);
    await store.commit([changesOf(grant, 2)]);
    expect((await store.restore(grant)).mark).toEqual(mark);
    await store.commit([changesOf(grant, 3, { mark: { ...mark, offset: 0, crc: 0 } })]);
    expect((await store.restore(grant)).mark).toEqual({ ...mark, offset: 0, crc: 0 });
  });

  it('moves and drops cursors, of lanes and of keys', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const [lane, key, other] = [
      cursorAt({ position: 1 }),
      cursorAt({ orderKey: 'k', position: 2 }),
      cursorAt({ lane: OTHER_LANE, position: 3 }),
    ];
    await store.commit([changesOf(grant, 1, { cursors: [lane, key, other] })]);
    const moved = { ...lane, position: 9 };
    await store.commit([
      changesOf(grant, 2, { cursors: [moved], droppedCursors: [{ lane: LANE, orderKey: 'k' }] }),
    ]);
    expect((await store.restore(grant)).cursors).toEqual([moved, other]);
  });

  it('keeps and updates the number of deliveries that are left to a key', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const owed = new Map([
      [PIPELINE, 2],
      [OTHER_PIPELINE, 1],
    ]);
    const key = cursorAt({ orderKey: 'k', owed });
    await store.commit([changesOf(grant, 1, { cursors: [key] })]);
    expect((await store.restore(grant)).cursors).toEqual([key]);
    const paid = { ...key, owed: new Map([[PIPELINE, 1]]) };
    await store.commit([changesOf(grant, 2, { cursors: [paid] })]);
    expect((await store.restore(grant)).cursors).toEqual([paid]);
  });

  it('keeps repeats until repeatsFrom has passed them', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const kept = async () => (await store.restore(grant)).repeats;
    const repeats = [2, 5, 9].map((offset) => ({ offset, differs: offset === 5 }));
    await store.commit([changesOf(grant, 1, { repeats })]);
    expect(await kept()).toEqual(new PackedRepeats(repeats));
    const more = [4, 12].map((offset) => ({ offset, differs: false }));
    await store.commit([changesOf(grant, 2, { repeatsFrom: 5, repeats: more })]);
    expect(await kept()).toEqual(new PackedRepeats([...repeats.slice(1), more[1]!]));
    await store.commit([changesOf(grant, 3, { repeatsFrom: 13 })]);
    expect(await kept()).toEqual(new PackedRepeats());
  });

  it('restores more repeats than a store reads at once, by offset', async () => {
    const store = await open('one');
    const [grant, other] = await store.acquire([0, 1]);
    const repeats = Array.from({ length: 60_000 }, (_, index) => ({
      offset: index * (index < 30_000 ? 1 : 50),
      differs: [false, true, null][index % 3]!,
    }));
    const ofOther = [{ offset: 7, differs: false }];
    await store.commit([
      changesOf(grant!, 1, { repeats: repeats.toReversed() }),
      changesOf(other!, 1, { repeats: ofOther }),
    ]);
    expect((await store.restore(grant!)).repeats).toEqual(new PackedRepeats(repeats));
    expect((await store.restore(other!)).repeats).toEqual(new PackedRepeats(ofOther));
  });

  it('lists the waiting keys, with attempts and due time of their first rows', async () => {
    const store = await open('one');
    const grants = await store.acquire([0, 1]);
    const rows = [
      storedDelivery({ offset: 3, pipeline: OTHER_PIPELINE, attempts: 7, dueMs: 5_000 }),
      storedDelivery({ offset: 3, attempts: 4, dueMs: 4_000 }),
      storedDelivery({ offset: 9, attempts: 1, dueMs: 1_000 }),
      storedDelivery({ offset: 1, orderKey: 'other', lane: OTHER_LANE, attempts: 2, dueMs: 2_500 }),
      storedDelivery({ offset: 0, state: 'Rejected', step: 'Finalize', code: '404' }),
    ];
    await store.commit([
      changesOf(grants[0]!, 1, { stored: rows }),
      changesOf(grants[1]!, 1, { stored: [storedDelivery()] }),
    ]);
    expect((await store.restore(grants[0]!)).waiting).toEqual([
      { lane: LANE, orderKey: 'source/user', rows: 3, attempts: 4, dueMs: 4_000 },
      { lane: OTHER_LANE, orderKey: 'other', rows: 1, attempts: 2, dueMs: 2_500 },
    ]);
    expect((await store.restore(grants[1]!)).waiting).toHaveLength(1);
  });
};

const NOTHING: Step = { routed: [], tried: [], ended: [], isSnapshot: false };
