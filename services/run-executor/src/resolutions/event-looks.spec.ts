import type { ResolutionTrigger, WorkspaceId } from '@penstock/contracts';
import { EventLooks } from './event-looks';

const WORKSPACE = 'workspace0000001' as WorkspaceId;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Executors that look into one warehouse, each second, and what they have done at which second. */
const passed = async (
  seconds: number,
  {
    eventDelay,
    changedAt,
    live = null,
    unseenUntil = 0,
  }: { eventDelay: number | null; changedAt: number; live?: object | null; unseenUntil?: number },
) => {
  const startMs = performance.now();
  const now = (): number => Math.round((performance.now() - startMs) / 1_000);
  let due = 0;
  const looked: number[] = [];
  const triggered: [number, ResolutionTrigger][] = [];
  const executors = [1, 2].map(
    () =>
      new EventLooks({
        store: {
          takeLook: (_, ms) => {
            const isDue = now() >= due;
            if (isDue) due = now() + ms / 1_000;
            return Promise.resolve(isDue);
          },
          lookAgain: (_, ms) => {
            due = now() + ms / 1_000;
            return Promise.resolve();
          },
        },
        replica: {
          resolvedAfterEvents: () => new Set([WORKSPACE]),
          warehouse: () => ({ resolution: { eventDelay } }) as never,
          resolution: () => ({ live, waiting: null }) as never,
        },
        looks: {
          look: () => {
            looked.push(now());
            if (now() < unseenUntil) return Promise.resolve(undefined);
            const waitingMs = now() < changedAt ? null : (now() - changedAt) * 1_000;
            return Promise.resolve({ count: 1, waitingMs });
          },
        },
        triggerResolution: (_, trigger) => {
          triggered.push([now(), trigger]);
          return Promise.resolve();
        },
        onError: (error) => {
          throw error;
        },
      }),
  );
  for (let second = 0; second <= seconds; second += 1) {
    for (const each of executors) await each.lookAll();
    jest.advanceTimersByTime(1_000);
  }
  return { looked, triggered };
};

it('looks four times in a delay, and asks when it has passed since the first change', async () => {
  const { looked, triggered } = await passed(70, { eventDelay: 60, changedAt: 7 });
  expect(looked).toEqual([0, 15, 67]);
  expect(triggered).toEqual([[67, 'Events']]);
});

it('looks no more often than every five seconds', async () => {
  const { looked, triggered } = await passed(11, { eventDelay: 0, changedAt: 6 });
  expect(looked).toEqual([0, 5, 10]);
  expect(triggered).toEqual([[10, 'Events']]);
});

it('looks again within a minute where it has seen nothing', async () => {
  const { looked } = await passed(130, { eventDelay: 3_600, changedAt: 0, unseenUntil: 100 });
  expect(looked).toEqual([0, 60, 120]);
});

it('does not look where nobody wants it, or a resolution is under way', async () => {
  const never = await passed(100, { eventDelay: null, changedAt: 0 });
  const live = await passed(100, { eventDelay: 0, changedAt: 0, live: {} });
  expect([...never.looked, ...live.looked]).toEqual([]);
});
