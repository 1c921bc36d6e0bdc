import { instant, type Instant } from '@penstock/contracts';
import type { StreamAppend } from './event-store';
import { FactHistory, type FactFilter, type OrderedFacts } from './fact-history';
import { aCause, anAppend, noted, NotesStore } from './notes.fixture';

let notes: NotesStore;
let history: FactHistory;

/** The instant that many minutes after nine o'clock. */
const at = (minutes: number): Instant => instant(new Date(Date.UTC(2026, 2, 1, 9, minutes)));

const record = async (
  minutes: number,
  stream: StreamAppend,
  who: { actor?: string; requestId?: string } = {},
): Promise<void> => {
  const { position } = await notes.store.append(
    anAppend([stream], { cause: { ...aCause(), ...who } }),
  );
  await notes.source.query('UPDATE penstock.facts SET time = $1 WHERE position > $2', [
    at(minutes),
    position - stream.facts.length,
  ]);
};

beforeAll(async () => {
  notes = await NotesStore.open();
  history = new FactHistory(notes.source.manager);
  await record(0, noted('pen-p-1', 0, 'a'));
  await record(1, noted('cap-c1', 0, 'x', 'y'), { actor: 'key-2' });
  await record(2, { ...noted('pen-p2', 0, 'other'), owner: 'w2' }, { requestId: 'r-7' });
  await record(3, noted('pen-p-1', 1, 'b'), { requestId: 'r-8' });
});

afterAll(() => notes.close());

const found = async (filter: Partial<FactFilter>, limit = 100): Promise<number[]> => {
  const facts = await history.find({ owners: ['w1', 'w2'], ...filter }, limit);
  return facts.map(({ position }) => position);
};

it.each<[string, Partial<FactFilter>, number[]]>([
  ['all, newest first', {}, [5, 4, 3, 2, 1]],
  ['of an owner', { owners: ['w2'] }, [4]],
  ['of no owner', { owners: [] }, []],
  ['of an object, whose id may hold a dash', { object: 'p-1' }, [5, 1]],
  ['of an object that is not there', { object: 'p' }, []],
  ['by an actor', { actor: 'key-2' }, [3, 2]],
  ['by a request', { requestId: 'r-8' }, [5]],
  ['of a type', { type: 'Noted' }, [5, 4, 3, 2, 1]],
  ['of a type that nothing has', { type: 'noted' }, []],
  ['from a time on', { from: at(2) }, [5, 4]],
  ['before a time', { to: at(2) }, [3, 2, 1]],
  ['below a position', { before: 3 }, [2, 1]],
  ['by all of it', { object: 'p-1', actor: 'key-1', from: at(0), to: at(3) }, [1]],
  ['by what no database can hold', { actor: '\0' }, []],
])('finds facts %s', async (_, filter, positions) => {
  expect(await found(filter)).toEqual(positions);
});

it('finds at most as many facts as the limit', async () => {
  expect(await found({}, 2)).toEqual([5, 4]);
});

describe('facts of an object in their order', () => {
  const inOrder = async (wanted: Partial<OrderedFacts>): Promise<number[]> => {
    const all = { object: 'p-1', owner: 'w1', types: ['Noted'], after: 0, limit: 10, ...wanted };
    return (await history.inOrder(all)).map(({ position }) => position);
  };

  it.each<[string, Partial<OrderedFacts>, number[]]>([
    ['all', {}, [1, 5]],
    ['behind a position', { after: 1 }, [5]],
    ['at most as many as wanted', { limit: 1 }, [1]],
    ['of some types', { types: ['noted'] }, []],
    ['of an owner', { owner: 'w2' }, []],
    ['of what no database can hold', { object: 'p\0' }, []],
  ])('%s', async (_, wanted, positions) => {
    expect(await inOrder(wanted)).toEqual(positions);
  });

  it('with what they say', async () => {
    const wanted = { object: 'p-1', owner: 'w1', types: ['Noted'], after: 0, limit: 1 };
    expect(await history.inOrder(wanted)).toEqual([
      {
        ...{ position: 1, stream: 'pen-p-1', version: 1, type: 'Noted', time: at(0) },
        ...{ actor: 'key-1', data: expect.any(Object) as object },
      },
    ]);
  });
});

it('returns actor, type and time, and the states before and after', async () => {
  expect(await history.find({ owners: ['w1'], object: 'p-1' }, 1)).toEqual([
    {
      position: 5,
      stream: 'pen-p-1',
      version: 2,
      type: 'Noted',
      time: at(3),
      actor: 'key-1',
      requestId: 'r-8',
      causation: expect.stringMatching(/^command-/) as string,
      owner: 'w1',
      hash: expect.stringMatching(/^[\da-f]{64}$/) as string,
      before: { last: 'a' },
      state: { last: 'b' },
    },
  ]);
  expect(await history.find({ owners: ['w1'], to: at(1) }, 1)).toMatchObject([
    { before: null, state: { last: 'a' } },
  ]);
});

const STREAMS = ['pen-p-1', 'cap-c1', 'none', 'no\0ne', 'pen-p2'];

it.each([
  ['before everything', -1, 0, []],
  ['at the moment of a fact', 0, 1, ['a']],
  ['between two facts', 1.5, 3, ['a', 'y']],
  ['after all', 60, 5, ['b', 'y', 'other']],
])('returns the position and the states %s', async (_, minutes, position, expected) => {
  expect(await history.positionAt(at(minutes))).toBe(position);
  const states = (await history.statesAt(STREAMS, position)) as { last: string }[];
  expect(states.map(({ last }) => last)).toEqual(expected);
});

describe('the states of an object', () => {
  /** Positions and states, as recorded above. */
  const RECORDED: Readonly<Record<string, readonly (readonly [number, string])[]>> = {
    'pen-p-1': [
      [1, 'a'],
      [5, 'b'],
    ],
    'cap-c1': [
      [2, 'x'],
      [3, 'y'],
    ],
    'pen-p2': [[4, 'other']],
    'pen-p': [],
    'pen-\0': [],
  };
  const BEHIND = 8;

  const statesOf = async (stream: string, from: number, to: number, limit = 100) => {
    const states = await history.statesOf(stream, { from, to, limit });
    return states.map(({ position, state }) => [position, (state as { last: string }).last]);
  };

  /** The distinct states that held at the positions. */
  const held = (stream: string, from: number, to: number) => {
    const distinct = new Set<readonly [number, string]>();
    for (let position = from; position < to; position += 1) {
      const newest = RECORDED[stream]?.findLast(([recorded]) => recorded <= position);
      if (newest !== undefined) distinct.add(newest);
    }
    return [...distinct];
  };

  it.each(Object.keys(RECORDED))(
    'of %j are those that held at one of the positions',
    async (stream) => {
      for (let from = 0; from <= BEHIND; from += 1)
        for (let to = 0; to <= BEHIND; to += 1)
          expect([from, to, await statesOf(stream, from, to)]).toEqual([
            from,
            to,
            held(stream, from, to),
          ]);
    },
  );

  it('are limited, and can be paged through', async () => {
    expect(await statesOf('cap-c1', 0, BEHIND, 1)).toEqual([[2, 'x']]);
    expect(await statesOf('cap-c1', 3, BEHIND, 1)).toEqual([[3, 'y']]);
  });
});

describe('in a long history of another owner, and of runs', () => {
  const COUNT = 4_000;
  let many: NotesStore;

  beforeAll(async () => {
    many = await NotesStore.open();
    await many.store.append(anAppend([noted('pen-mine', 0, 'a')], { cause: aCause() }));
    // Each second fact is of the same owner and object: those of runs.
    await many.source.query(
      `INSERT INTO penstock.facts (position, stream, version, type, schema_version, time, actor, request_id, causation,
                                   owner, hash, data, state)
       SELECT n + 1, CASE WHEN n % 2 = 0 THEN 'runs-mine' ELSE 'pen-other' END, n,
              CASE WHEN n % 2 = 0 THEN 'RunEnded' ELSE 'Noted' END, 1, to_char(now(), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
              'system', 'r', 'c', CASE WHEN n % 2 = 0 THEN 'w1' ELSE 'w2' END, '', '{}', '{}'
         FROM generate_series(1, ${COUNT}) n`,
    );
    await many.source.query('ANALYZE penstock.facts');
  });

  afterAll(() => many.close());

  /** @returns how many rows of facts were read to find what is wanted, by any way. */
  const readRows = async (look: (history: FactHistory) => Promise<unknown>): Promise<number> =>
    many.source.transaction(async (db) => {
      const counted = async (): Promise<number> => {
        const [read] = await db.query<{ rows: number }[]>(
          `SELECT (seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS rows
             FROM pg_stat_xact_user_tables WHERE relname = 'facts' AND schemaname = 'penstock'`,
        );
        return read?.rows ?? 0;
      };
      const before = await counted();
      await look(new FactHistory(db));
      return (await counted()) - before;
    });

  it.each<[string, Partial<FactFilter>]>([
    ['of a type', { type: 'Noted' }],
    ['of a type that nothing has', { type: 'Other' }],
    ['by an actor', { actor: aCause().actor }],
    ['by an actor of nothing', { actor: 'nobody' }],
    ['from a time on', { from: instant(new Date(Date.now() + 60_000)) }],
    ['of an object', { object: 'mine' }],
    ['of an object of nobody', { object: 'nothing' }],
  ])('finds facts %s along an index', async (_, filter) => {
    const look = (of: FactHistory) => of.find({ owners: ['w1', 'w3'], ...filter }, 5);
    expect(await readRows(look)).toBeLessThan(50);
  });

  it('finds what was decided of an object without its runs', async () => {
    const wanted = { object: 'mine', owner: 'w1', types: ['Noted', 'Told'], after: 0, limit: 5 };
    expect(await readRows((of) => of.inOrder(wanted))).toBeLessThan(50);
  });
});
