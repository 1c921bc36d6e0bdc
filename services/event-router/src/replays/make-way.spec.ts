import { FakeClock } from '../testing/fake-clock';
import { makeWay } from './make-way';

/** Milliseconds for which a replay waits. */
const waited = async (lagMs: number, tookMs: number): Promise<number> => {
  const clock = new FakeClock();
  const startMs = clock.nowMs();
  const seen: { endMs?: number } = {};
  void makeWay(clock, lagMs, tookMs).then(() => {
    seen.endMs = clock.nowMs();
  });
  for (let turn = 0; turn < 2_000 && seen.endMs === undefined; turn += 1) await clock.advance(1);
  return (seen.endMs ?? Infinity) - startMs;
};

it.each([
  ['goes on at the next turn while there are no live events', 0, 5, 0, 2],
  ['leaves three quarters of the time to live events', 1, 5, 15, 17],
  ['does so up to a lag of 200 ms', 200, 5, 15, 17],
  ['leaves more than nine tenths to a live reader that lags more', 201, 5, 60, 62],
])('a replay %s', async (_, lagMs, tookMs, from, to) => {
  const ms = await waited(lagMs, tookMs);
  expect(ms).toBeGreaterThanOrEqual(from);
  expect(ms).toBeLessThanOrEqual(to);
});
