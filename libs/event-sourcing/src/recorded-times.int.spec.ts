import { setTimeout as sleep } from 'node:timers/promises';
import { instant, type Instant } from '@penstock/contracts';
import { CHAIN_START, chainHash } from './chain';
import { FactHistory } from './fact-history';
import { ALL, anAppend, noted, NotesStore } from './notes.fixture';

jest.setTimeout(60_000);

let notes: NotesStore;
let history: FactHistory;

beforeAll(async () => {
  notes = await NotesStore.open();
  history = new FactHistory(notes.source.manager);
});
beforeEach(() => notes.empty());
afterAll(() => notes.close());

const sql = <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
  notes.source.query<Row[]>(text, [...values]);

interface Times {
  readonly time: Instant;
  readonly effective: Instant;
}

const times = (): Promise<Times[]> =>
  sql(
    'SELECT time, coalesce(effective_time, time) AS effective FROM penstock.facts ORDER BY position',
  );

/** Now by the clock that facts are recorded by, plus an offset. */
const clock = async (offsetMs = 0): Promise<Instant> => {
  const [row] = await sql<{ now: Date }>('SELECT clock_timestamp() AS now');
  return instant(new Date((row?.now.getTime() ?? 0) + offsetMs));
};

const append = (stream: string, version = 0) =>
  notes.store.append(anAppend([noted(stream, version, 'x')]));

it('records a fact at the time of the database', async () => {
  const before = await clock();
  await append('a');
  const [fact] = await times();
  expect(fact?.effective).toBe(fact?.time);
  const moments = [before, fact?.time, await clock()];
  expect(moments).toEqual([...moments].sort());
});

it('keeps the order of effective times when the clock is set back', async () => {
  const ahead = await clock(3_600_000);
  await sql('UPDATE penstock.head SET time = $1', [ahead]);
  await append('a');
  await append('a', 1);
  const [one, two] = await times();
  expect([one?.effective, two?.effective]).toEqual([ahead, ahead]);
  expect((one?.time ?? '') <= (two?.time ?? '') && (two?.time ?? '') < ahead).toBe(true);
});

it('has no position for a moment less than a second ago', async () => {
  await append('a');
  expect(await history.positionAt(await clock())).toBeUndefined();
  expect(await history.positionAt(await clock(-100))).toBeUndefined();
  expect(await history.positionAt(await clock(3_600_000))).toBeUndefined();
  // Before the fact, also when the statements take long.
  expect(await history.positionAt(await clock(-10_000))).toBe(0);
  await sleep(1_010);
  expect(await history.positionAt(await clock(-1_000))).toBe(1);
});

it('waits for running appends', async () => {
  let go = (): void => undefined;
  const held = new Promise<void>((resolve) => (go = resolve));
  let hold = (): void => undefined;
  const isHeld = new Promise<void>((resolve) => (hold = resolve));
  const verify = (): Promise<void> => {
    hold();
    return held;
  };
  const slow = notes.store.append(anAppend([noted('a', 0, 'x')], { verify }));
  await isHeld;
  await sleep(1_200);
  const answered = history.positionAt(await clock(-1_000));
  await sleep(100);
  go();
  await slow;
  expect(await answered).toBe(1);
});

it('records nothing as of a moment that was looked up, even when the clock is set back', async () => {
  const complete = async (): Promise<Instant> => {
    const [head] = await sql<{ time: Date }>('SELECT time FROM penstock.head');
    return instant(head?.time ?? new Date(Number.NaN));
  };
  const closed = await clock(-1_000);
  await history.positionAt(closed);
  expect(await complete()).toBe(instant(new Date(Date.parse(closed) + 1)));
  await history.positionAt(await clock(-60_000));
  expect(await complete()).toBe(instant(new Date(Date.parse(closed) + 1)));
});

it('returns the position of a moment that was looked up also after the clock is set back', async () => {
  await append('a');
  const ahead = await clock(3_600_000);
  await sql('UPDATE penstock.head SET time = $1', [ahead]);
  const looked = await clock(10_000);
  expect(await history.positionAt(looked)).toBe(1);
  await append('a', 1);
  expect(await history.positionAt(looked)).toBe(1);
  expect(await history.positionAt(ahead)).toBeUndefined();
});

it('returns the same position for a moment, whatever is recorded later', async () => {
  const answers = new Map<Instant, number>();
  const versions = new Map<string, number>();
  let isOver = false;
  const writer = async (stream: string): Promise<void> => {
    while (!isOver) {
      const version = versions.get(stream) ?? 0;
      const pause = Math.random() < 0.1 ? 30 : 0;
      await notes.store.append(
        anAppend([noted(stream, version, 'x')], { verify: () => sleep(pause, undefined) }),
      );
      versions.set(stream, version + 1);
    }
  };
  const asker = async (): Promise<void> => {
    while (!isOver) {
      const at = await clock(-1_000 - Math.floor(Math.random() * 50));
      const position = await history.positionAt(at);
      expect(position).toBeDefined();
      expect(answers.get(at) ?? position).toBe(position);
      answers.set(at, position ?? 0);
    }
  };
  const work = Promise.all([...['a', 'b', 'c'].map(writer), asker(), asker()]);
  const beginMs = Date.now();
  while (Date.now() < beginMs + 3_000 || (answers.size <= 50 && Date.now() < beginMs + 40_000))
    await sleep(100);
  isOver = true;
  await work;

  expect(answers.size).toBeGreaterThan(50);
  for (const [at, position] of answers)
    expect([at, await history.positionAt(at)]).toEqual([at, position]);
  const effective = (await times()).map((each) => each.effective);
  expect(effective).toEqual([...effective].sort());
  const facts = await notes.store.factsAfter(0, ALL);
  expect(facts.length).toBe(effective.length);
  let previous = CHAIN_START;
  for (const fact of facts) {
    expect(fact.hash).toBe(chainHash(previous, fact, JSON.stringify(fact.data)));
    previous = fact.hash;
  }
});
