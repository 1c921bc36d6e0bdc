import type { PipelineId } from '@penstock/contracts';
import { type Audience, baseKey, type PartitionChanges } from '../changes';
import type { RouterStore } from '../router-store';
import { acquired, AUDIENCE, changesOf, OTHER_PIPELINE, PIPELINE } from './changes.fixture';
import type { StoreHarness } from './store-harness';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const THE_AUDIENCE: Audience = { id: AUDIENCE, enabled: [PIPELINE], disabled: [OTHER_PIPELINE] };

const audienceOf = (index: number): Audience => ({
  id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
  enabled: [`pipeline${String(index).padStart(6, '0')}` as PipelineId],
  disabled: [],
});

/** One new event for each audience. */
const routed = (audiences: readonly Audience[], atMs: number): Partial<PartitionChanges> => ({
  audiences,
  bases: new Map(audiences.map(({ id }) => [baseKey(id, 'New', atMs), 1])),
});

const rolledUp = async (store: RouterStore): Promise<void> => {
  while (await store.rollUp(1_000));
};

/** An audience is there while counts refer to it, and two days after it was written. */
export const itForgetsAudiences = ({ open, stored, nowMs, pass }: StoreHarness): void => {
  const audiences = async (): Promise<readonly string[]> => (await stored()).audiences;

  /** Now, but not at the beginning of an hour: what is counted there is rolled up already, and refers to its audience. */
  const withinHour = async (): Promise<number> => {
    const now = await nowMs();
    return now % HOUR_MS < MINUTE_MS ? now + MINUTE_MS : now;
  };

  it('keeps an audience while counts refer to it, and removes it then', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const now = await withinHour();
    await store.commit([changesOf(grant, 1, routed([THE_AUDIENCE], now))]);
    const before = (await stored()).counts;
    expect(before).toHaveLength(2);
    await pass(5 * DAY_MS);
    await store.commit([changesOf(grant, 2, routed([THE_AUDIENCE], now))]);
    await store.sweep();
    expect(await audiences()).toEqual([AUDIENCE]);
    await pass(5 * DAY_MS);
    await rolledUp(store);
    await store.sweep();
    expect(await audiences()).toEqual([]);
    expect((await stored()).counts).toEqual(before.map((each) => ({ ...each, count: 2 })));
  });

  it('keeps what is referred to by counts of today beside what is removed', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const now = await withinHour();
    const [idle, busy] = [audienceOf(1), audienceOf(2)];
    await store.commit([changesOf(grant, 1, routed([idle, busy], now))]);
    await pass(5 * DAY_MS);
    await store.commit([changesOf(grant, 2, routed([busy], await withinHour()))]);
    await rolledUp(store);
    await store.sweep();
    expect(await audiences()).toEqual([busy.id]);
  });

  it('keeps what was written within two days, whatever refers to it', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const old = (await withinHour()) - 10 * DAY_MS;
    await store.commit([changesOf(grant, 1, routed([THE_AUDIENCE], old))]);
    await rolledUp(store);
    await store.sweep();
    await pass(1.9 * DAY_MS);
    await store.sweep();
    expect(await audiences()).toEqual([AUDIENCE]);
    await pass(0.2 * DAY_MS);
    await store.sweep();
    expect(await audiences()).toEqual([]);
  });

  it('writes an audience again when counts refer to it again', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const old = (await withinHour()) - 10 * DAY_MS;
    await store.commit([changesOf(grant, 1, routed([THE_AUDIENCE], old))]);
    await rolledUp(store);
    await pass(3 * DAY_MS);
    await store.sweep();
    expect(await audiences()).toEqual([]);
    await store.commit([changesOf(grant, 2, routed([THE_AUDIENCE], await withinHour()))]);
    expect(await audiences()).toEqual([AUDIENCE]);
    expect((await stored()).counts).toEqual([
      { pipeline: PIPELINE, state: 'Filtered', code: '', count: 2 },
      { pipeline: OTHER_PIPELINE, state: 'Filtered', code: 'Disabled', count: 2 },
    ]);
  });

  it('rejects counts of an audience that is neither written nor contained, and writes nothing', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const { bases = new Map<string, number>() } = routed([THE_AUDIENCE], await withinHour());
    const alone = changesOf(grant, 1, { bases });
    await expect(store.commit([alone])).rejects.toThrow('audience');
    expect(await store.restore(grant)).toHaveProperty('sequence', 0);
    await store.commit([{ ...alone, audiences: [THE_AUDIENCE] }]);
    expect((await stored()).counts).toHaveLength(2);
  });

  it('removes thousands in one sweep', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const many = Array.from({ length: 2_500 }, (_, index) => audienceOf(index));
    const old = (await withinHour()) - 10 * DAY_MS;
    await store.commit([changesOf(grant, 1, routed(many, old))]);
    await store.commit([changesOf(grant, 2, routed([many[1_234]!], await withinHour()))]);
    await rolledUp(store);
    await pass(2.5 * DAY_MS);
    await store.commit([changesOf(grant, 3, routed([many[1_234]!], await withinHour()))]);
    await store.sweep();
    expect(await audiences()).toEqual([many[1_234]!.id]);
    expect((await stored()).counts).toHaveLength(2_500);
  }, 120_000);
};
