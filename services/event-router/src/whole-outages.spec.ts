import type { Outcome, OutgoingEvent } from '@penstock/connectors';
import { delivered, Stage } from './testing/stage/stage.fixture';

const SECOND_MS = 1_000;

const away = (events: readonly OutgoingEvent[]): readonly Outcome[] =>
  events.map(() => ({ kind: 'unavailable', reason: 'away', notSent: true, isOutage: true }));

it('opens the circuit with the first failure of the whole, stores nothing, and delivers all in order afterwards', async () => {
  let requests = 0;
  const stage = new Stage({
    destinations: [
      {
        name: 'warehouse',
        answer: (events, nowMs) => {
          requests += 1;
          return nowMs < 120 * SECOND_MS ? away(events) : delivered(events);
        },
      },
      { name: 'healthy' },
    ],
  });
  stage.start();
  stage.every(20, 60 * SECOND_MS, (at) => {
    stage.accept(`user${at % 7}`, 1, 'A', at % 2);
  });
  await stage.run(SECOND_MS);
  const [lane] = stage.engine.lanes.live.filter(({ destination }) =>
    destination.includes('warehouse'),
  );
  expect(lane?.health.state).toBe('circuit');
  expect(requests).toBeLessThanOrEqual(8);
  await stage.run(100 * SECOND_MS);
  expect(stage.behind).toEqual(new Set(['warehouse']));
  expect(await stage.rows('warehouse')).toBe(0);
  expect(stage.takenBy('healthy')).toHaveLength(stage.accepted);
  expect(requests).toBeLessThan(60);
  await stage.run(400 * SECOND_MS);
  expect(stage.takenBy('warehouse')).toHaveLength(stage.accepted);
  expect(stage.disordered('warehouse')).toEqual([]);
  expect(stage.behind).toEqual(new Set());
});

it('tries a destination again at the time that is due, whatever was waiting for it when its circuit opened', async () => {
  const limits = { maxEvents: 1, ratePerSecond: 8, burst: 1, concurrency: 10 };
  const isAway = (nowMs: number): boolean => nowMs >= 10 * SECOND_MS && nowMs < 20 * SECOND_MS;
  const stage = new Stage({
    destinations: [
      {
        name: 'slow',
        limits,
        answer: (events, nowMs) => (isAway(nowMs) ? away(events) : delivered(events)),
      },
      { name: 'healthy' },
    ],
  });
  stage.start();
  for (let user = 0; user < 2_000; user += 1) stage.accept(`user${String(user)}`, 1, 'A', user % 2);
  await stage.run(20 * SECOND_MS);
  const before = stage.takenBy('slow').length;
  await stage.run(20 * SECOND_MS);
  expect(stage.takenBy('slow').length).toBeGreaterThan(before);
  expect(stage.takenBy('healthy')).toHaveLength(stage.accepted);
});
