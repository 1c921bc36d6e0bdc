import type { OutgoingEvent } from '@penstock/connectors';
import { delivered, Stage, unavailable } from './testing/stage/stage.fixture';

const SECOND_MS = 1_000;
const COUNT = 20;

it('lets lanes catch up in the other partitions while one cannot be read', async () => {
  let isDenied = true;
  const names = Array.from({ length: COUNT }, (_, at) => `paused${at}`);
  const stage = new Stage({
    destinations: [
      // Each is detached elsewhere in the log.
      ...names.map((name, at) => ({
        name,
        answer: (events: readonly OutgoingEvent[], nowMs: number) =>
          (isDenied && nowMs > (at * SECOND_MS) / 2 ? unavailable(401) : delivered)(events),
      })),
      { name: 'healthy' },
      {
        name: 'refusing',
        answer: (events) => events.map(() => ({ kind: 'rejected', reason: 'never', status: 400 })),
      },
    ],
    partitions: 2,
    eventBytes: 2_000,
    options: { pauseProbeMs: SECOND_MS, sliceBytes: 65_536 },
  });
  stage.start();
  stage.every(10, 10 * SECOND_MS, (at) => {
    stage.accept(`user${at % 100}`, 1, 'A', at % 2);
  });
  await stage.run(12 * SECOND_MS);
  expect(stage.behind).toEqual(new Set(names));
  stage.leaderless.add(0);
  isDenied = false;
  await stage.run(20 * SECOND_MS);
  const taken = names.map((name) => stage.takenBy(name).length);
  expect(Math.min(...taken)).toBeGreaterThan(400);
  stage.leaderless.delete(0);
  await stage.run(10 * SECOND_MS);
  for (const name of names) expect(stage.takenBy(name)).toHaveLength(stage.accepted);
  expect(stage.behind).toEqual(new Set());
});
