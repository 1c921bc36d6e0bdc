import type { Outcome, OutgoingEvent } from '@penstock/connectors';
import { delivered, messageIdOf, Stage, unavailable } from './testing/stage/stage.fixture';

const SECOND_MS = 1_000;
const LOOK_MS = 250;
/** Rows that may be spilled in one step. */
const ROWS_A_LOOK = 200;

const refused = (events: readonly OutgoingEvent[]): readonly Outcome[] =>
  events.map(() => ({ kind: 'rejected', reason: 'never', status: 400 }));

const isOfBad = (event: OutgoingEvent): boolean => messageIdOf(event).includes('bad');

/** Answers 503 to events of bad users until a given time. */
const pickyUntil =
  (untilMs: number) =>
  (events: readonly OutgoingEvent[], nowMs: number): readonly Outcome[] =>
    events.flatMap((event) =>
      (nowMs < untilMs && isOfBad(event) ? unavailable(503) : delivered)([event]),
    );

it('spills many failing keys in small steps, over all lanes together, and delivers them in order in the end', async () => {
  const wellFromMs = 30 * SECOND_MS;
  const stage = new Stage({
    destinations: [
      { name: 'picky', answer: pickyUntil(wellFromMs) },
      { name: 'choosy', answer: pickyUntil(wellFromMs) },
      { name: 'healthy' },
      { name: 'refusing', answer: refused },
    ],
  });
  stage.start();
  const users = 600;
  stage.every(10, users, (at) => {
    for (let each = 0; each < 10; each += 1) stage.accept(`bad${at * 10 + each}`, 3, 'A', at % 2);
  });
  stage.every(20, wellFromMs, (at) => {
    stage.accept(`good${at % 7}`, 1, 'A', at % 2);
  });
  let before = 0;
  let most = 0;
  for (let each = 0; each < 80; each += 1) {
    await stage.run(LOOK_MS);
    const rows = (await stage.rows('picky')) + (await stage.rows('choosy'));
    most = Math.max(most, rows - before);
    before = rows;
  }
  expect(most).toBeGreaterThan(ROWS_A_LOOK / 2);
  // A commit takes time, so that the rows of two steps may be stored at once.
  expect(most).toBeLessThanOrEqual(2 * ROWS_A_LOOK);
  expect(before).toBeGreaterThan(2 * users);
  await stage.run(300 * SECOND_MS);
  for (const name of ['picky', 'choosy']) {
    expect(stage.takenBy(name)).toHaveLength(stage.accepted);
    expect(stage.disordered(name)).toEqual([]);
    expect(await stage.rows(name)).toBe(0);
  }
  expect(stage.takenBy('healthy')).toHaveLength(stage.accepted);
});

it('leaves the deliveries of a hanging destination in the log, without storing or repeatedly reading them', async () => {
  const wellFromMs = 40 * SECOND_MS;
  const stage = new Stage({
    destinations: [
      {
        name: 'hanging',
        only: 'A',
        limits: { maxEvents: 100, concurrency: 8 },
        tookMs: 15 * SECOND_MS,
        answer: (events, nowMs) =>
          nowMs < wellFromMs ? unavailable(504)(events) : delivered(events),
      },
      { name: 'healthy' },
      { name: 'refusing', answer: refused },
    ],
    partitions: 8,
  });
  stage.start();
  stage.every(200, wellFromMs, (at) => {
    for (let each = 0; each < 20; each += 1)
      stage.accept(`user${(at * 20 + each) % 200}`, 1, 'A', at % 2);
    for (let each = 0; each < 60; each += 1) stage.accept(`user${each}`, 1, 'B', at % 2);
  });
  let mostRows = 0;
  for (let each = 0; each < wellFromMs / LOOK_MS; each += 1) {
    await stage.run(LOOK_MS);
    mostRows = Math.max(mostRows, await stage.rows('hanging'));
  }
  expect(stage.behind).toEqual(new Set(['hanging']));
  expect(mostRows).toBe(0);
  expect(stage.slices).toBeLessThan(5);
  await stage.run(1_200 * SECOND_MS);
  expect(stage.takenBy('hanging')).toHaveLength(stage.accepted / 4);
  expect(stage.disordered('hanging')).toEqual([]);
  expect(stage.behind).toEqual(new Set());
  expect(stage.takenBy('healthy')).toHaveLength(stage.accepted);
});

it('does not give a hanging destination deliveries that it would detach again, whatever the size of its requests', async () => {
  const stage = new Stage({
    destinations: [
      {
        name: 'hanging',
        limits: { maxEvents: 2_000, concurrency: 10 },
        tookMs: 30 * SECOND_MS,
        answer: unavailable(504),
      },
      { name: 'healthy' },
      { name: 'refusing', answer: refused },
    ],
  });
  stage.start();
  stage.every(20, 25 * SECOND_MS, (at) => {
    stage.accept(`user${at % 500}`, 1, 'A', at % 2);
  });
  await stage.run(25 * SECOND_MS);
  expect(stage.takenBy('healthy').length).toBeGreaterThan(1_200);
  expect(stage.behind).toEqual(new Set(['hanging']));
  expect(stage.slices).toBeLessThan(20);
});

it('spills four failing keys although no other request has succeeded', async () => {
  const stage = new Stage({
    destinations: [
      { name: 'picky', answer: pickyUntil(Infinity), limits: { maxEvents: 1 } },
      { name: 'healthy' },
      { name: 'refusing', answer: refused },
    ],
    options: { maxOpenPerLane: 50 },
  });
  stage.start();
  stage.every(10, 10 * SECOND_MS, (at) => {
    stage.accept(`bad${at % 4}`, 1, 'A', at % 2);
  });
  await stage.run(20 * SECOND_MS);
  stage.accept('good', 10);
  await stage.run(10 * SECOND_MS);
  expect(stage.takenBy('picky')).toHaveLength(10);
});
