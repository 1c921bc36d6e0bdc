import type { ConnectionId } from '@penstock/contracts';
import { MemoryDatabase } from '../store/memory/memory-database';
import { MemoryRouterStore } from '../store/memory/memory-router-store';
import { FakeClock } from '../testing/fake-clock';
import { SharedRate } from './shared-rate';

const LANE = 'lane' as ConnectionId;
const limits = (ratePerSecond: number, burst = 1) => ({
  maxEvents: 1,
  concurrency: 9,
  ratePerSecond,
  burst,
});

/** Sends whenever it gets a token. @returns the times at which it did. */
const sender = (clock: FakeClock, database: MemoryDatabase, rate: number): number[] => {
  const store = new MemoryRouterStore(database);
  const sentMs: number[] = [];
  const shared = new SharedRate(LANE, {
    clock,
    takeTokens: (wanted) => store.takeTokens(wanted),
    onTokens: () => {
      send();
    },
    onError: (error) => {
      throw error;
    },
  });
  const send = (): void => {
    let waitMs = shared.take(limits(rate), 1);
    for (; waitMs === 0; waitMs = shared.take(limits(rate), 1)) sentMs.push(clock.nowMs());
    if (waitMs < Infinity) clock.after(waitMs, send);
  };
  send();
  return sentMs;
};

it.each([1, 20])('lets two processes together send %d requests per second', async (rate) => {
  const clock = new FakeClock();
  const database = new MemoryDatabase(() => clock.wallMs());
  const senders = [sender(clock, database, rate), sender(clock, database, rate)];
  await clock.advance(60_000);
  const sent = senders.flat().length;
  expect(sent).toBeGreaterThanOrEqual(0.9 * 60 * rate);
  expect(sent).toBeLessThanOrEqual(60 * rate + 2);
});

it('takes no tokens from the store without a rate', () => {
  const rate = new SharedRate(LANE, {
    clock: new FakeClock(),
    takeTokens: () => Promise.reject(new Error('asked')),
    onTokens: () => undefined,
    onError: (error) => {
      throw error;
    },
  });
  expect(rate.take({ maxEvents: 1, concurrency: 1 }, 1)).toBe(0);
});
