import type { Observation } from '../router-store';
import { LANE, OTHER_LANE, PIPELINE } from './changes.fixture';
import { LEASE_MS, type StoreHarness } from './store-harness';

const failing: Observation = {
  subject: 'connection',
  id: LANE,
  code: 'DestinationFails',
  sinceMs: 1_772_357_400_000,
};
const works: Observation = { ...failing, code: '', sinceMs: 1_772_357_401_000 };
const elsewhere: Observation = { ...failing, id: OTHER_LANE };
const ofPipeline: Observation = {
  subject: 'pipeline',
  id: PIPELINE,
  code: 'ManyRejected',
  sinceMs: 1_772_357_402_000,
};

/** What the members on the roll have observed is seen by the oldest of them, which reports it. */
export const itSharesObservations = ({ open, pass, kill }: StoreHarness): void => {
  const enrolled = async (...names: readonly string[]) => {
    const stores = [];
    for (const name of names) {
      const store = await open(name);
      await store.beat(1);
      stores.push(store);
      await pass(10);
    }
    return stores;
  };

  it('shows those of all members to the oldest alone', async () => {
    const [one, other] = await enrolled('z', 'a');
    expect(await one!.observations()).toEqual([]);
    await one!.observe([failing, ofPipeline]);
    await other!.observe([works, elsewhere]);
    const expected = [failing, works, elsewhere, ofPipeline];
    const found = await one!.observations();
    expect(found).toHaveLength(4);
    expect(found).toEqual(expect.arrayContaining(expected));
    const ofLane = found?.filter(({ id }) => id === LANE);
    expect(ofLane).toEqual([failing, works]);
    expect(await other!.observations()).toBeUndefined();
  });

  it('shows nothing to a member that is not on the roll', async () => {
    const store = await open('one');
    await store.observe([failing]);
    expect(await store.observations()).toBeUndefined();
    await store.beat(1);
    expect(await store.observations()).toEqual([failing]);
  });

  it('replaces what a member has observed before, and repeats do no harm', async () => {
    const [one] = await enrolled('one');
    await one!.observe([failing, ofPipeline]);
    await one!.observe([works, elsewhere]);
    await one!.observe([works, elsewhere]);
    const found = await one!.observations();
    expect(found).toHaveLength(2);
    expect(found).toEqual(expect.arrayContaining([works, elsewhere]));
    await one!.observe([]);
    expect(await one!.observations()).toEqual([]);
  });

  it('passes to the next member when the oldest is killed, and drops what it has observed', async () => {
    const [one, other] = await enrolled('one', 'other');
    await one!.observe([failing]);
    await other!.observe([elsewhere]);
    await kill('one');
    expect(await other!.observations()).toEqual([elsewhere]);
  });

  it('passes on when the oldest has not been heard of for the time of a lease, or leaves', async () => {
    const [one, other] = await enrolled('one', 'other');
    await one!.observe([failing]);
    await pass(LEASE_MS / 2);
    await other!.beat(1);
    expect(await other!.observations()).toBeUndefined();
    await pass(LEASE_MS / 2 + 1_000);
    expect(await other!.observations()).toEqual([]);
    await other!.sweep();
    await one!.beat(1);
    expect(await one!.observations()).toBeUndefined();
    await other!.leave();
    expect(await one!.observations()).toEqual([]);
  });
};
