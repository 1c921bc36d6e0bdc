import {
  acquired,
  attemptRecord,
  changesOf,
  duplicateRecord,
  HASH,
  OTHER_PIPELINE,
} from './changes.fixture';
import { OUTCOME_DAYS, type StoreHarness } from './store-harness';

const OTHER_HASH = '000000000000400080000000000000bb';
const DAY_MS = 86_400_000;

/** What a trace of an event is answered from is written with the commit that it belongs to. */
export const itRecordsTraces = ({ open, pass, stored }: StoreHarness): void => {
  it('keeps where the first event of an id is, and its duplicates', async () => {
    const store = await open('one');
    const grants = await store.acquire([0, 1]);
    const messages = new Map([
      [HASH, { digest: 'digest', offset: 7 }],
      [OTHER_HASH, { digest: 'other', offset: null }],
    ]);
    const duplicates = [
      duplicateRecord({ offset: 8 }),
      duplicateRecord({ offset: 9, differs: true }),
    ];
    await store.commit([
      changesOf(grants[0]!, 1),
      changesOf(grants[1]!, 1, { messages, duplicates }),
    ]);
    const state = await stored();
    expect(state.messages).toEqual([
      { hash: HASH, digest: 'digest', partition: 1, offset: 7 },
      { hash: OTHER_HASH, digest: 'other', partition: 1, offset: null },
    ]);
    expect(state.duplicates).toEqual(duplicates.map((each) => ({ ...each, partition: 1 })));
    expect(await store.seen([HASH, OTHER_HASH])).toEqual(
      new Map([
        [HASH, 'digest'],
        [OTHER_HASH, 'other'],
      ]),
    );
  });

  it('writes nothing of a commit whose owner has lost the partition', async () => {
    const [one, other] = [await open('one'), await open('other')];
    const before = await acquired(one);
    await one.release([before]);
    await acquired(other);
    const given = {
      messages: new Map([[HASH, { digest: 'digest', offset: 7 }]]),
      duplicates: [duplicateRecord()],
      attempts: [attemptRecord()],
    };
    expect(await one.commit([changesOf(before, 1, given)])).toEqual([0]);
    expect(await stored()).toMatchObject({ messages: [], duplicates: [], attempts: [] });
  });

  it('keeps failed attempts in the order of the commits, cleaned, and as long as outcomes', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const attempts = [
      attemptRecord(),
      attemptRecord({ offset: 1, pipeline: OTHER_PIPELINE, status: 0, reason: 'no answer' }),
    ];
    await store.commit([changesOf(grant, 1, { attempts })]);
    await store.commit([changesOf(grant, 2)]);
    const last = attemptRecord({ attempt: 2, dueMs: 0, reason: 'a\0b' });
    await store.commit([changesOf(grant, 3, { attempts: [last] })]);
    const found = (await stored()).attempts;
    expect(found).toHaveLength(3);
    expect(found.slice(0, 2)).toEqual(attempts.map((each) => ({ ...each, partition: 0 })));
    expect(found[2]).toEqual({
      ...last,
      partition: 0,
      reason: expect.not.stringContaining('\0') as string,
    });
    await pass((OUTCOME_DAYS - 1) * DAY_MS);
    await store.sweep();
    expect((await stored()).attempts).toHaveLength(3);
    await pass(3 * DAY_MS);
    await store.sweep();
    expect((await stored()).attempts).toEqual([]);
  });

  it('forgets with another log what belonged to offsets of the one before', async () => {
    const store = await open('one');
    const grant = await acquired(store);
    const given = { duplicates: [duplicateRecord()], attempts: [attemptRecord()] };
    await store.commit([changesOf(grant, 1, given)]);
    await store.beginAnew(await store.log('log'), 'log', [0]);
    expect(await stored()).toMatchObject({ duplicates: [], attempts: [] });
  });

  it('has no ids of a version before in a store of its own', async () => {
    expect((await open('one')).hasFormerIds).toBe(false);
  });
};
