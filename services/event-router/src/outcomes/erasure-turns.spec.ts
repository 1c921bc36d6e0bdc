import { ErasureTurns } from './erasure-turns';

const SETTLED_MS = 1_000;

const standing = () => {
  const at = { suppressedFrom: 0, nowMs: 0, isAway: false };
  const looks: number[] = [];
  const times = {
    suppressedFrom: () => at.suppressedFrom,
    nowMs: () => at.nowMs,
    settledMs: SETTLED_MS,
  };
  const turns = new ErasureTurns(times, () => {
    if (at.isAway) return Promise.reject(new Error('PostgreSQL is away'));
    looks.push(at.nowMs);
    return Promise.resolve();
  });
  const runAt = async (...moments: readonly number[]): Promise<void> => {
    for (const nowMs of moments) {
      at.nowMs = nowMs;
      await turns.run().catch(() => undefined);
    }
  };
  return { at, looks, turns, runAt };
};

it('looks after each change of suppressions, and once more later', async () => {
  const { at, looks, runAt } = standing();
  await runAt(0, 10);
  expect(looks).toEqual([]);
  at.suppressedFrom = 7;
  await runAt(20, 30, 1_019, 1_020, 1_030, 9_000);
  expect(looks).toEqual([20, 1_020]);
  at.suppressedFrom = 8;
  await runAt(10_000, 20_000, 30_000);
  expect(looks).toEqual([20, 1_020, 10_000, 20_000]);
});

it('begins anew after a failure: what could not be written either is written late', async () => {
  const { at, looks, runAt } = standing();
  at.suppressedFrom = 7;
  await runAt(20);
  at.isAway = true;
  await runAt(1_020, 2_000);
  at.isAway = false;
  await runAt(3_000, 3_500, 4_000, 9_000);
  expect(looks).toEqual([20, 3_000, 4_000]);
});

it('rejects while it fails', async () => {
  const { at, turns } = standing();
  at.suppressedFrom = 7;
  at.isAway = true;
  await expect(turns.run()).rejects.toThrow('away');
});
