import { LANE, OTHER_LANE } from './changes.fixture';
import { OUTCOME_DAYS, type StoreHarness } from './store-harness';

const DAY_MS = 86_400_000;

/** All routers see the pauses of a lane, and share one rate. */
export const itSharesLanes = ({ open, nowMs, pass }: StoreHarness): void => {
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
      await store.resume(LANE, now + 30);
      expect(await store.lanes()).toEqual(ended);
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
