import { setTimeout as sleep } from 'node:timers/promises';
import { CHAIN_START, chainHash } from './chain';
import { VersionConflict } from './event-store';
import { ALL, aCause, anAppend, noted, NotesStore } from './notes.fixture';

let notes: NotesStore;

beforeAll(async () => {
  notes = await NotesStore.open();
});

beforeEach(() => notes.empty());

afterAll(() => notes.close());

const upTo = (last: number): number[] => Array.from({ length: last }, (_, index) => index + 1);

const positions = async (): Promise<number[]> =>
  (await notes.store.factsAfter(0, ALL)).map(({ position }) => position);

const notesOf = async (stream: string): Promise<string[]> =>
  (await notes.store.factsAfter(0, ALL))
    .filter((fact) => fact.stream === stream)
    .map(({ data }) => (data as { note: string }).note);

describe('reading and appending', () => {
  it('returns the newest state of each stream, and none for a stream that does not exist', async () => {
    const { store } = notes;
    await store.append(anAppend([noted('a', 0, 'one', 'two'), noted('b', 0, 'other')]));
    await store.append(anAppend([noted('a', 2, 'three')]));

    expect(await store.read(['b', 'none', 'a', 'no\0t', 'a'])).toEqual([
      { state: { last: 'other' }, version: 1 },
      { state: undefined, version: 0 },
      { state: { last: 'three' }, version: 3 },
      { state: undefined, version: 0 },
      { state: { last: 'three' }, version: 3 },
    ]);
  });

  it('records actor, time, cause and the state after each fact', async () => {
    const cause = aCause('command-x');
    const { position } = await notes.store.append(anAppend([noted('a', 0, 'one')], { cause }));

    expect(position).toBe(1);
    expect(await notes.store.factsAfter(0, ALL)).toEqual([
      {
        position: 1,
        stream: 'a',
        version: 1,
        type: 'Noted',
        schemaVersion: 1,
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/) as string,
        actor: 'key-1',
        requestId: 'request of command-x',
        causation: 'command-x',
        owner: 'w1',
        data: { note: 'one' },
        state: { last: 'one' },
        hash: expect.stringMatching(/^[\da-f]{64}$/) as string,
      },
    ]);
  });

  it('keeps texts unchanged', async () => {
    const texts = ['\0', '\ud800', '🙂', '"\\', '__proto__', ''];
    await notes.store.append(anAppend([noted('a', 0, ...texts)]));
    expect(await notesOf('a')).toEqual(texts);
    expect(await notes.store.read(['a'])).toMatchObject([{ state: { last: '' } }]);
  });

  it('chains the facts of each owner, in one append and in many', async () => {
    const { store, source } = notes;
    const other = (version: number) => ({ ...noted('b', version, 'x', 'y'), owner: 'w2' });
    await store.append(anAppend([noted('a', 0, 'one', '\0 é'), other(0), noted('c', 0, 'z')]));
    await store.append(anAppend([other(2), noted('a', 2, 'three')]));

    const newest = new Map<string, string>();
    for (const fact of await store.factsAfter(0, ALL)) {
      const previous = newest.get(fact.owner) ?? CHAIN_START;
      expect(fact.hash).toBe(chainHash(previous, fact, JSON.stringify(fact.data)));
      newest.set(fact.owner, fact.hash);
    }
    expect(await source.query('SELECT * FROM penstock.chains ORDER BY owner')).toEqual([
      { owner: 'w1', position: '8', hash: newest.get('w1') },
      { owner: 'w2', position: '7', hash: newest.get('w2') },
    ]);
  });

  it('appends thousands of facts at once', async () => {
    const { store } = notes;
    const streams = Array.from({ length: 7_000 }, (_, n) => noted(`s${String(n)}`, 0, 'x'));
    const project = (): Promise<void> => Promise.resolve();
    expect(await store.append(anAppend(streams, { project }))).toMatchObject({ position: 7_000 });
    expect(await store.position()).toBe(7_000);
  });
});

describe('facts after a position', () => {
  beforeEach(async () => {
    await notes.store.append(anAppend([noted('a', 0, ...upTo(9).map(String), 'x'.repeat(1_000))]));
  });

  it.each([
    ['all', 0, ALL, upTo(10)],
    ['those behind', 7, ALL, [8, 9, 10]],
    ['none behind the last', 10, ALL, []],
    ['as many as asked for', 2, { ...ALL, maxFacts: 3 }, [3, 4, 5]],
    ['as many as fit', 8, { ...ALL, maxBytes: 1_000 }, [9]],
    ['one at least', 9, { ...ALL, maxBytes: 1 }, [10]],
  ])('are %s', async (_, after, limit, expected) => {
    const facts = await notes.store.factsAfter(after, limit);
    expect(facts.map(({ position }) => position)).toEqual(expected);
  });

  it('are limited to the byte', async () => {
    const [{ bytes } = { bytes: 0 }] = await notes.source.query<{ bytes: number }[]>(
      `SELECT max(s)::int AS bytes FROM (SELECT sum(octet_length(data::text)) AS s FROM penstock.facts
        UNION ALL SELECT sum(octet_length(state::text)) FROM penstock.facts) sums`,
    );
    const count = async (maxBytes: number): Promise<number> =>
      (await notes.store.factsAfter(0, { ...ALL, maxBytes })).length;
    expect([await count(bytes), await count(bytes - 1)]).toEqual([10, 9]);
  });
});

describe('versions', () => {
  it('refuse an append that was decided on an older one', async () => {
    const { store } = notes;
    await store.append(anAppend([noted('a', 0, 'one')]));
    await expect(store.append(anAppend([noted('a', 0, 'late')]))).rejects.toThrow(VersionConflict);
    await expect(
      store.append(anAppend([noted('b', 0, 'mine'), noted('a', 0, 'late')])),
    ).rejects.toThrow(VersionConflict);
    expect(await store.read(['b'])).toEqual([{ state: undefined, version: 0 }]);
    expect(await positions()).toEqual([1]);
  });

  it('let one of many concurrent appends win, and lose none', async () => {
    const { store } = notes;
    const won: string[] = [];
    const append = async (note: string): Promise<void> => {
      for (;;) {
        const [{ version } = { version: 0 }] = await store.read(['a']);
        try {
          await store.append(anAppend([noted('a', version, note)]));
          won.push(note);
          return;
        } catch (error) {
          if (!(error instanceof VersionConflict)) throw error;
        }
      }
    };
    await Promise.all(upTo(20).map((n) => append(String(n))));

    expect(await store.read(['a'])).toMatchObject([{ version: 20 }]);
    expect((await notesOf('a')).sort()).toEqual([...won].sort());
    expect(await positions()).toEqual(upTo(20));
  });
});

describe('positions', () => {
  it('have no gap, whatever append fails', async () => {
    const { store } = notes;
    const fails = (): Promise<void> => Promise.reject(new RangeError('no'));
    const appends = upTo(50).map((n) =>
      store.append(
        anAppend([noted(`s${String(n)}`, 0, 'one', 'two')], {
          ...(n % 5 === 0 && { verify: fails }),
          ...(n % 5 === 1 && { project: fails }),
        }),
      ),
    );
    const outcomes = await Promise.allSettled(appends);

    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(20);
    expect(await positions()).toEqual(upTo(60));
    expect(await notes.notes()).toEqual(upTo(60));
    expect(await store.position()).toBe(60);
  });

  it('follow the order of commits: a slow transaction is not overtaken', async () => {
    const { store } = notes;
    let seenWhileSlow: number | undefined;
    const slow = store.append(
      anAppend([noted('slow', 0, 'x')], {
        verify: async () => {
          await sleep(300);
          seenWhileSlow = (await positions()).length;
        },
      }),
    );
    await sleep(100);
    const fast = await Promise.all(
      upTo(5).map((n) => store.append(anAppend([noted(`fast${String(n)}`, 0, 'x')]))),
    );

    expect((await slow).position).toBe(1);
    expect(seenWhileSlow).toBe(0);
    expect(fast.map(({ position }) => position).sort()).toEqual([2, 3, 4, 5, 6]);
  });

  it('never show a later fact without the earlier ones to a reader at any time', async () => {
    const { store } = notes;
    let isOver = false;
    const look = async (): Promise<number> => {
      let looks = 0;
      for (; !isOver; looks += 1) {
        const seen = await positions();
        if (seen.length !== (seen.at(-1) ?? 0)) throw new Error(`a gap in ${seen.join()}`);
      }
      return looks;
    };
    const looking = look();
    await Promise.all(
      upTo(50).map((n) => store.append(anAppend([noted(`s${String(n)}`, 0, 'x', 'y')]))),
    );
    isOver = true;

    expect(await looking).toBeGreaterThan(0);
    expect(await positions()).toEqual(upTo(100));
  });
});

describe('replies', () => {
  const cause = aCause('same');

  it('are those of the first append of each command', async () => {
    const { store } = notes;
    const first = await store.append(anAppend([noted('a', 0, 'one')], { cause }));
    const reply = { is: 'second' };
    expect(await store.append(anAppend([noted('a', 1, 'two')], { cause, reply }))).toEqual(first);
    expect(await store.replyTo('same')).toEqual({ position: 1, reply: { is: 'first' } });
    expect(await positions()).toEqual([1]);
  });

  it('are the same for ten concurrent appends of one command', async () => {
    const { store } = notes;
    const replies = await Promise.all(
      upTo(10).map((n) =>
        store.append(anAppend([noted(`s${String(n)}`, 0, 'x')], { cause, reply: { n } })),
      ),
    );
    expect(new Set(replies.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(await positions()).toEqual([1]);
    expect(await notes.notes()).toEqual([1]);
  });

  it('are recorded without facts too, at the newest position', async () => {
    const { store } = notes;
    await store.append(anAppend([noted('a', 0, 'one', 'two')]));
    expect(await store.append(anAppend([], { cause }))).toEqual({
      position: 2,
      reply: { is: 'first' },
    });
    await store.append(anAppend([noted('a', 2, 'three')], { cause }));
    expect(await positions()).toEqual([1, 2]);
  });

  it('are absent when the append has failed', async () => {
    const { store } = notes;
    const verify = (): Promise<void> => Promise.reject(new RangeError('no'));
    const append = anAppend([noted('a', 0, 'one')], { cause });
    await expect(store.append({ ...append, verify })).rejects.toThrow(RangeError);
    expect(await store.replyTo('same')).toBeUndefined();
    expect(await store.append(append)).toMatchObject({ position: 1 });
  });

  it('are deleted when they are old', async () => {
    const { store } = notes;
    await store.append(anAppend([noted('a', 0, 'one')], { cause }));
    const nowMs = Date.now();
    await store.forgetRepliesBefore(new Date(nowMs - 60_000));
    expect(await store.replyTo('same')).toBeDefined();
    await store.forgetRepliesBefore(new Date(nowMs + 60_000));
    expect(await store.replyTo('same')).toBeUndefined();
  });
});

describe('alone', () => {
  it('lets no other append run, and rolls back when the work throws', async () => {
    const { store } = notes;
    const other = anAppend([noted('other', 0, 'x')]);
    let waiting: Promise<unknown> = Promise.resolve();
    const fails = store.alone(async (on) => {
      await on.append(anAppend([noted('a', 0, 'one')]));
      waiting = store.append(other);
      await sleep(100);
      expect(await on.position()).toBe(1);
      throw new RangeError('no');
    });
    await expect(fails).rejects.toThrow(RangeError);
    await waiting;
    expect(await store.factsAfter(0, ALL)).toMatchObject([{ position: 1, stream: 'other' }]);
  });

  it('answers a repeated command, and goes on with the rest of the work', async () => {
    const { store } = notes;
    const cause = aCause('again');
    await store.append(anAppend([noted('a', 0, 'one')], { cause }));
    const replies = await store.alone(async (on) => [
      await on.append(anAppend([noted('b', 0, 'x')], { cause })),
      await on.append(anAppend([noted('c', 0, 'x')])),
    ]);
    expect(replies.map(({ position }) => position)).toEqual([1, 2]);
  });
});
