import type { EntityManager } from 'typeorm';
import { type Decision, handleCommand, type Reading } from './handle-command';
import { ALL, aCause, noted, NotesStore, projectNotes } from './notes.fixture';

jest.setTimeout(60_000);

let notes: NotesStore;

beforeAll(async () => {
  notes = await NotesStore.open();
});

beforeEach(() => notes.empty());

afterAll(() => notes.close());

type Decide = (reading: Reading<EntityManager>) => Promise<Decision<EntityManager>>;

const handle = (decide: Decide, cause = aCause()) =>
  handleCommand(notes.store, cause, projectNotes, decide);

/** Adds a note unless the stream has `most` already. */
const note =
  (text: string, most = Infinity): Decide =>
  async (reading) => {
    const [stream = { version: 0 }] = await reading.read(['a']);
    const facts = stream.version < most ? [noted('a', stream.version, text)] : [];
    return { streams: facts, reply: { version: stream.version } };
  };

const count = async (): Promise<number> => (await notes.store.factsAfter(0, ALL)).length;

it('records what was decided, and no fact when nothing has to change', async () => {
  expect(await handle(note('one', 1))).toEqual({ position: 1, reply: { version: 0 } });
  expect(await handle(note('two', 1))).toEqual({ position: 1, reply: { version: 1 } });
  expect(await count()).toBe(1);
});

it('answers a repeated command as before, and executes it once', async () => {
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

it('lets every command through on a hot stream, up to the limit and no further', async () => {
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, n) => handle(note(String(n), 20))),
  );
  const versions = replies.map(({ reply }) => (reply as { version: number }).version);
  expect(versions.sort((a, b) => a - b)).toEqual(
    Array.from({ length: 60 }, (_, n) => Math.min(n, 20)),
  );
  expect(await count()).toBe(20);
});

it('shows a decision each stream as it was when it read it first, so that what has changed since is a conflict', async () => {
  const seen: number[] = [];
  const twice: Decide = async (reading) => {
    await reading.read(['b', 'a']);
    if (seen.length === 0) await handle(note('theirs'));
    const [stream = { version: 0 }] = await reading.read(['a']);
    seen.push(stream.version);
    return { streams: [noted('a', stream.version, 'mine')], reply: {} };
  };
  await handle(twice);
  expect(seen).toEqual([0, 1]);
  expect(await count()).toBe(2);
});

it('rethrows what a decision throws, without a retry', async () => {
  let decisions = 0;
  const refuses: Decide = () => {
    decisions += 1;
    return Promise.reject(new RangeError('no'));
  };
  await expect(handle(refuses)).rejects.toThrow(RangeError);
  expect(decisions).toBe(1);
});

it('answers a dry run like the command, and records nothing', async () => {
  await handle(note('one'));
  const cause = aCause();
  const trial: Decide = async (reading) => ({ ...(await note('two')(reading)), isDryRun: true });
  expect(await handle(trial, cause)).toEqual({ position: 1, reply: { version: 1 } });
  expect(await handle(trial, cause)).toEqual({ position: 1, reply: { version: 1 } });
  expect(await count()).toBe(1);
  expect(await notes.notes()).toEqual([1]);
  expect(await notes.store.replyTo(cause.commandId)).toBeUndefined();
  expect(await notes.store.position()).toBe(1);
  expect(await handle(note('two'), cause)).toEqual({ position: 2, reply: { version: 1 } });
});

it('refuses a dry run that the append refuses', async () => {
  const checked: string[] = [];
  const full: Decide = async (reading) => ({
    ...(await note('one')(reading)),
    isDryRun: true,
    verify: () => {
      checked.push('verify');
      return Promise.reject(new RangeError('full'));
    },
  });
  await expect(handle(full)).rejects.toThrow('full');
  expect(checked).toEqual(['verify']);
});

it('decides a dry run again after a conflict, at last while other appends wait', async () => {
  let decisions = 0;
  const raced: Decide = async (reading) => {
    const decided = await note('mine')(reading);
    decisions += 1;
    if (reading.db === notes.store.db) await handle(note('theirs'));
    return { ...decided, isDryRun: true };
  };
  expect(await handle(raced)).toEqual({ position: 3, reply: { version: 3 } });
  expect(decisions).toBe(4);
  expect(await count()).toBe(3);
});
