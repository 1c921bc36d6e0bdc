import { LANE, OTHER_LANE } from './changes.fixture';
import { MAX_PAUSES } from '../max-pauses';
import type { RouterStore } from '../router-store';
import { OUTCOME_DAYS, type StoreHarness } from './store-harness';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY_MS = 86_400_000;

/** Pauses the lane again and again, from `fromMs` on; the last pause stays open. @returns when each one has begun. */
const flap = async (
  store: RouterStore,
  { fromMs, times, everyMs }: Record<'fromMs' | 'times' | 'everyMs', number>,
): Promise<readonly number[]> => {
  const begun = Array.from({ length: times }, (_, index) => fromMs + index * everyMs);
  for (const atMs of begun) {
    await store.resume(LANE, atMs - everyMs / 2);
    await store.pause(LANE, 1, atMs, '401');
  }
  return begun;
};

/** All routers see the pauses of a lane, and share one rate. */
export const itSharesLanes = ({ open, nowMs, pass }: StoreHarness, runs: number): void => {
  describe('pauses', () => {
    it('shows the beginning and end of a pause to every member', async () => {
      const [one, other] = [await open('one'), await open('other')];
      const now = Math.floor(await nowMs());
      expect(await other.lanes()).toEqual([]);
      await one.pause(LANE, 3, now, '401\0');
      const pauses = [{ fromMs: now, toMs: null }];
      expect(await other.lanes()).toEqual([
        { lane: LANE, pauses, reason: '401\uFFFD', version: 3 },
      ]);
      await other.resume(LANE, now + 5);
      expect(await one.lanes()).toEqual([
        { lane: LANE, pauses: [{ fromMs: now, toMs: now + 5 }], reason: '', version: 3 },
      ]);
    });

    it('changes nothing when a paused lane is paused, or a lane that is not paused is resumed', async () => {
      const store = await open('one');
      const now = Math.floor(await nowMs());
      await store.resume(LANE, now);
      expect(await store.lanes()).toEqual([]);
      await store.pause(LANE, 1, now, 'first');
      await store.pause(LANE, 2, now + 10, 'second');
      expect(await store.lanes()).toMatchObject([{ reason: 'first', version: 1 }]);
      await store.resume(LANE, now + 20);
      const ended = await store.lanes();
      expect(ended).toMatchObject([{ reason: '', version: 1 }]);
      await store.resume(LANE, now + 30);
      expect(await store.lanes()).toEqual(ended);
    });

    it('tells with which version a pause was ended that an update has ended', async () => {
      const store = await open('one');
      const now = Math.floor(await nowMs());
      await store.pause(LANE, 1, now, '403');
      await store.resume(LANE, now + 10, 2);
      expect(await store.lanes()).toMatchObject([{ reason: '', version: 2 }]);
    });

    it('keeps pauses in order, whatever the clocks of the members', async () => {
      const store = await open('one');
      const now = Math.floor(await nowMs());
      await store.pause(LANE, 1, now, 'a');
      await store.resume(LANE, now - 100);
      await store.pause(LANE, 2, now - 50, 'b');
      await store.resume(LANE, now + 50);
      await store.pause(OTHER_LANE, 7, now, 'c');
      expect(await store.lanes()).toEqual([
        {
          lane: LANE,
          pauses: [
            { fromMs: now, toMs: now },
            { fromMs: now, toMs: now + 50 },
          ],
          reason: '',
          version: 2,
        },
        { lane: OTHER_LANE, pauses: [{ fromMs: now, toMs: null }], reason: 'c', version: 7 },
      ]);
    });

    it('removes a pause that ended before the oldest event that is kept', async () => {
      const store = await open('one');
      const now = Math.floor(await nowMs());
      const old = now - OUTCOME_DAYS * DAY_MS;
      await store.pause(LANE, 1, old - 200_000, 'a');
      await store.resume(LANE, old - 100_000);
      await store.pause(OTHER_LANE, 1, old - 200_000, 'b');
      expect(await store.lanes()).toMatchObject([{ lane: OTHER_LANE }]);
      await store.pause(LANE, 2, now, 'c');
      await store.sweep();
      expect(await store.lanes()).toMatchObject([
        { lane: LANE, pauses: [{ fromMs: now, toMs: null }] },
        { lane: OTHER_LANE, pauses: [{ fromMs: old - 200_000, toMs: null }] },
      ]);
    });

    it('keeps a bounded number of pauses, which cover each time in which the lane was paused', async () => {
      const store = await open('one');
      const [times, everyMs] = [Math.max(10 * runs, 3 * MAX_PAUSES), 2 * SECOND];
      const fromMs = Math.floor(await nowMs()) - times * everyMs;
      const begun = await flap(store, { fromMs, times, everyMs });
      const { pauses, ...lane } = (await store.lanes())[0]!;
      expect(lane).toEqual({ lane: LANE, reason: '401', version: 1 });
      expect(pauses).toHaveLength(MAX_PAUSES);
      const isCovered = (atMs: number): boolean =>
        pauses.some((each) => each.fromMs <= atMs && (each.toMs ?? Infinity) >= atMs + SECOND);
      expect(begun.filter((atMs) => !isCovered(atMs))).toEqual([]);
      expect(pauses.map(({ toMs }) => toMs).indexOf(null)).toBe(MAX_PAUSES - 1);
      expect(pauses[0]).toEqual({ fromMs, toMs: fromMs + SECOND });
    });

    it('goes on with the last pause where there are many and less than a minute lies between, else joins the oldest two', async () => {
      const store = await open('one');
      const everyMs = 4 * MINUTE;
      const fromMs = Math.floor(await nowMs()) - DAY_MS;
      const begun = await flap(store, { fromMs, times: MAX_PAUSES, everyMs });
      const lastMs = begun.at(-1)!;
      const each = begun.map((atMs) => ({ fromMs: atMs, toMs: atMs + 2 * MINUTE }));
      await store.resume(LANE, lastMs + SECOND);
      await store.pause(LANE, 2, lastMs + MINUTE, '403');
      expect(await store.lanes()).toEqual([
        {
          lane: LANE,
          pauses: [...each.slice(0, -1), { fromMs: lastMs, toMs: null }],
          reason: '403',
          version: 2,
        },
      ]);
      await store.resume(LANE, lastMs + 2 * MINUTE);
      await store.pause(LANE, 3, lastMs + 3 * MINUTE, '401');
      expect(await store.lanes()).toMatchObject([
        {
          pauses: [
            { fromMs, toMs: each[1]!.toMs },
            ...each.slice(2),
            { fromMs: lastMs + 3 * MINUTE, toMs: null },
          ],
          version: 3,
        },
      ]);
    });
  });

  describe('tokens', () => {
    const wanted = (count: number, ratePerSecond = 1, burst = 5) => ({
      rate: LANE,
      ratePerSecond,
      burst,
      count,
    });

    it('gives the burst to all members together, then the rate', async () => {
      const [one, other] = [await open('one'), await open('other')];
      const slowly = (count: number) => wanted(count, 0.1);
      expect(await one.takeTokens(slowly(3))).toEqual({ count: 3, waitMs: 0 });
      expect((await other.takeTokens(slowly(3))).count).toBe(2);
      const { count, waitMs } = await one.takeTokens(slowly(1));
      expect(count).toBe(0);
      expect(waitMs).toBeGreaterThan(0);
      expect(waitMs).toBeLessThanOrEqual(10_000);
      await pass(20_000);
      expect((await other.takeTokens(slowly(5))).count).toBe(2);
      await pass(1_000_000);
      expect((await other.takeTokens(slowly(9))).count).toBe(5);
    });

    it('returns the time until the next token', async () => {
      const store = await open('one');
      const { count, waitMs } = await store.takeTokens(wanted(3, 1 / 60, 2));
      expect(count).toBe(2);
      expect(waitMs).toBeGreaterThan(50_000);
      expect(waitMs).toBeLessThanOrEqual(60_000);
      await pass(waitMs);
      expect((await store.takeTokens(wanted(1, 1 / 60, 2))).count).toBe(1);
    });

    it('gives one at a time where no burst is allowed, and each lane its own', async () => {
      const store = await open('one');
      expect((await store.takeTokens(wanted(3, 0.001, 0))).count).toBe(1);
      expect((await store.takeTokens({ ...wanted(3, 0.001, 0), rate: OTHER_LANE })).count).toBe(1);
      expect((await store.takeTokens(wanted(1, 0.001, 0))).count).toBe(0);
      expect(await store.lanes()).toEqual([]);
    });

    it('waits by the new rate when the rate has increased', async () => {
      const store = await open('one');
      await store.takeTokens(wanted(1, 0.0001, 1));
      expect((await store.takeTokens(wanted(1, 10, 10))).waitMs).toBeLessThanOrEqual(100);
    });

    it('keeps the tokens of a lane that is paused', async () => {
      const store = await open('one');
      await store.takeTokens(wanted(5, 0.001));
      const now = Math.floor(await nowMs());
      await store.pause(LANE, 1, now, 'a');
      expect((await store.takeTokens(wanted(1, 0.001))).count).toBe(0);
      expect(await store.lanes()).toMatchObject([{ lane: LANE, reason: 'a' }]);
    });
  });
};
