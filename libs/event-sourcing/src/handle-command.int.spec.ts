import type { EntityManager } from 'typeorm';
import { type Decision, handleCommand, type Reading } from './handle-command';
import { ALL, aCause, noted, NotesStore, projectNotes } from './notes.fixture';

let notes: NotesStore;

beforeAll(async () => {
  notes = await NotesStore.open();
});

beforeEach(() => notes.empty());

afterAll(() => notes.close());

type Decide = (reading: Reading<EntityManager>) => Promise<Decision<EntityManager>>;

const handle = (decide: Decide, cause = aCause()) =>
  handleCommand(notes.store, cause, projectNotes, decide);

/** Adds a note unless the stream has as many as it may. */
const note =
  (text: string, most = Infinity): Decide =>
  async (reading) => {
    const [stream = { version: 0 }] = await reading.read(['a']);
    const facts = stream.version < most ? [noted('a', stream.version, text)] : [];
    return { streams: facts, reply: { version: stream.version } };
  };

const count = async (): Promise<number> => (await notes.store.factsAfter(0, ALL)).length;

it('records what was decided, and nothing for what is already so', async () => {
  expect(await handle(note('one', 1))).toEqual({ position: 1, reply: { version: 0 } });
  expect(await handle(note('two', 1))).toEqual({ position: 1, reply: { version: 1 } });
  expect(await count()).toBe(1);
});

it('answers a repeated command as before, and carries it out once', async () => {
  const cause = aCause();
  const first = await handle(note('one'), cause);
  await handle(note('two'));
  expect(await handle(note('again'), cause)).toEqual(first);
  expect(await count()).toBe(2);
});

it('answers a repeated command that changed nothing as before, though it would change something now', async () => {
  const cause = aCause();
  const first = await handle(note('full', 0), cause);
  expect(await handle(note('now it is not'), cause)).toEqual(first);
  expect(await count()).toBe(0);
});

it('lets everybody through on a hot stream, up to the limit and no further', async () => {
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, n) => handle(note(String(n), 20))),
  );
  const versions = replies.map(({ reply }) => (reply as { version: number }).version);
  expect(versions.sort((a, b) => a - b)).toEqual(
    Array.from({ length: 60 }, (_, n) => Math.min(n, 20)),
  );
  expect(await count()).toBe(20);
});

it('throws what a decision throws, once', async () => {
  let decisions = 0;
  const refuses: Decide = () => {
    decisions += 1;
    return Promise.reject(new RangeError('no'));
  };
  await expect(handle(refuses)).rejects.toThrow(RangeError);
  expect(decisions).toBe(1);
});
