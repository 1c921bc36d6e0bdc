import * as fc from 'fast-check';
import { type EntityManager, QueryFailedError } from 'typeorm';
import { CHAIN_START, chainHash } from './chain';
import { type StoredFact, type StoredReply, VersionConflict } from './event-store';
import { ALL, aCause, anAppend, noted, NotesStore } from './notes.fixture';

jest.setTimeout(120_000);

let notes: NotesStore;

beforeAll(async () => {
  notes = await NotesStore.open();
});

beforeEach(() => notes.empty());

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(() => notes.close());

const facts = (): Promise<readonly StoredFact[]> => notes.store.factsAfter(0, ALL);

const expectNoGap = async (): Promise<void> => {
  const recorded = await facts();
  expect(recorded.map(({ position }) => position)).toEqual(recorded.map((_, index) => index + 1));
};

const expectChained = async (): Promise<void> => {
  const newest = new Map<string, string>();
  for (const fact of await facts()) {
    const previous = newest.get(fact.owner) ?? CHAIN_START;
    expect(fact.hash).toBe(chainHash(previous, fact, JSON.stringify(fact.data)));
    newest.set(fact.owner, fact.hash);
  }
};

const transactions = (): (() => number) => {
  const spy = jest.spyOn(notes.source.manager, 'transaction');
  return () => spy.mock.calls.length;
};

it('writes appends that come together in a few transactions, each with its own reply and cause', async () => {
  const begun = transactions();
  const appends = Array.from({ length: 100 }, (_, index) =>
    anAppend([noted(`stream ${String(index)}`, 0, 'one', 'two')], { reply: { index } }),
  );
  const replies = await Promise.all(appends.map((each) => notes.store.append(each)));
  expect(begun()).toBeLessThanOrEqual(3);
  expect(replies.map(({ reply }) => reply)).toEqual(appends.map(({ reply }) => reply));
  const recorded = await facts();
  for (const [index, { position }] of replies.entries())
    expect(recorded[position - 1]).toMatchObject({
      stream: `stream ${String(index)}`,
      version: 2,
      causation: appends[index]?.cause.commandId,
      requestId: appends[index]?.cause.requestId,
    });
  await expectNoGap();
  await expectChained();
});

it('looks up streams and replies for many callers by a few statements', async () => {
  const { store } = notes;
  await store.append(anAppend([noted('a', 0, 'one')], { cause: aCause('known') }));
  const query = jest.spyOn(notes.source.manager, 'query');
  const streams = await Promise.all(Array.from({ length: 60 }, () => store.read(['a', 'b'])));
  const replies = await Promise.all(
    Array.from({ length: 60 }, (_, nth) => store.replyTo(nth === 7 ? 'known' : `no\0 ${nth}`)),
  );
  expect(query.mock.calls.length).toBeLessThanOrEqual(8);
  for (const found of streams)
    expect(found).toEqual([
      { state: { last: 'one' }, version: 1 },
      { state: undefined, version: 0 },
    ]);
  expect(replies.flatMap((reply, nth) => (reply === undefined ? [] : [nth]))).toEqual([7]);
});

it('records the neighbours of one that is refused, in the same moment', async () => {
  const { store } = notes;
  await store.append(anAppend([noted('taken', 0, 'one')], { cause: aCause('repeated') }));
  const outcomes = await Promise.allSettled([
    store.append(anAppend([noted('first', 0, 'one')])),
    store.append(anAppend([noted('taken', 0, 'too late')])),
    store.append(anAppend([noted('second', 0, 'one')])),
    store.append(anAppend([noted('third', 0, 'again')], { cause: aCause('repeated') })),
    store.append(anAppend([], { reply: { nothing: 'changed' } })),
    store.append(anAppend([noted('fourth', 0, 'one')])),
  ]);
  expect(outcomes).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: expect.any(VersionConflict) as Error },
    { status: 'fulfilled' },
    { status: 'fulfilled', value: { position: 1 } },
    { status: 'fulfilled', value: { reply: { nothing: 'changed' } } },
    { status: 'fulfilled' },
  ]);
  const streams = (await facts()).map(({ stream }) => stream);
  expect(streams).toEqual(['taken', 'first', 'second', 'fourth']);
  await expectNoGap();
});

it('records the neighbours of one whose own functions throw', async () => {
  const { store } = notes;
  const bug = new TypeError('a bug');
  const failing = {
    toJSON: () => {
      throw bug;
    },
  };
  const append = anAppend([noted('bad', 0, 'one')], { reply: failing });
  const outcomes = await Promise.allSettled([
    store.append(anAppend([noted('first', 0, 'one')])),
    store.append(anAppend([noted('second', 0, 'one')])),
    store.append(append),
    store.append(anAppend([noted('third', 0, 'one')])),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'rejected',
    'fulfilled',
  ]);
  expect(outcomes[2]).toMatchObject({ reason: bug });
  await expectNoGap();
});

it('does not write one by one what the lost database would refuse one by one', async () => {
  const { store } = notes;
  await store.append(anAppend([noted('taken', 0, 'one')]));
  const begin = notes.source.manager.transaction.bind(notes.source.manager);
  const lost = new Error('the connection was lost');
  let begun = 0;
  jest.spyOn(notes.source.manager, 'transaction').mockImplementation(((
    work: (db: EntityManager) => Promise<unknown>,
  ) => {
    begun += 1;
    return begun <= 3 ? begin(work) : Promise.reject(lost);
  }) as never);
  const streams = ['first', 'taken', 'a', 'b', 'c', 'd'];
  const outcomes = await Promise.allSettled(
    streams.map((stream) => store.append(anAppend([noted(stream, 0, 'x')]))),
  );
  // The first alone, then the others: together, by themselves until the database is found to be away.
  expect(begun).toBe(4);
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    ...Array<string>(5).fill('rejected'),
  ]);
  expect(outcomes[1]).toMatchObject({ reason: expect.any(VersionConflict) as Error });
  expect(outcomes.slice(2)).toMatchObject(Array(4).fill({ reason: lost }));
});

it('repeats a group that failed as a whole in smaller ones', async () => {
  const begin = notes.source.manager.transaction.bind(notes.source.manager);
  const sizes: number[] = [];
  const timedOut = new QueryFailedError('', [], new Error('Query read timeout'));
  jest.spyOn(notes.source.manager, 'transaction').mockImplementation(((
    work: (db: EntityManager) => Promise<unknown>,
  ) =>
    begin(async (db) => {
      const before = jest.spyOn(db, 'query').mockImplementationOnce((_, values) => {
        const { length } = (values as [number, string[]])[1];
        sizes.push(length);
        if (length > 3) return Promise.reject(timedOut);
        before.mockRestore();
        return db.query(_, values);
      });
      return work(db);
    })) as never);
  const appends = Array.from({ length: 12 }, (_, index) =>
    anAppend([noted(`stream ${String(index)}`, 0, 'one')]),
  );
  const pending = new Set(appends);
  while (pending.size > 0)
    await Promise.allSettled(
      [...pending].map(async (each) => {
        await notes.store.append(each);
        pending.delete(each);
      }),
    );
  expect(sizes.length).toBeLessThan(40);
  expect(await facts()).toHaveLength(12);
});

it.each([
  ['facts', 150, 10],
  ['characters', 1, 1_500_000],
])('puts no more %s into a transaction than it may hold', async (_, count, size) => {
  const begun = transactions();
  const texts = Array.from({ length: count }, () => 'x'.repeat(size / 2));
  const appends = ['a', 'b', 'c'].map((stream) => anAppend([noted(stream, 0, ...texts)]));
  await Promise.all(appends.map((each) => notes.store.append(each)));
  expect(begun()).toBe(3);
  const small = ['d', 'e', 'f'].map((stream) => anAppend([noted(stream, 0, 'x')]));
  await Promise.all(small.map((each) => notes.store.append(each)));
  expect(begun()).toBe(5);
});

it('looks up many streams of one caller alone', async () => {
  const query = jest.spyOn(notes.source.manager, 'query');
  const many = Array.from({ length: 33 }, (_, index) => `stream ${String(index)}`);
  await Promise.all([['a'], ['b'], many, ['c'], ['d']].map((each) => notes.store.read(each)));
  expect(query.mock.calls.map(([, values]) => (values as [string[]])[0].length)).toEqual([
    1, 1, 33, 2,
  ]);
});

it('fails all of a group when the database is lost, and every one can be repeated', async () => {
  const { store } = notes;
  const lost = jest
    .spyOn(notes.source.manager, 'transaction')
    .mockRejectedValueOnce(new Error('the connection was lost'))
    .mockRejectedValueOnce(new Error('the connection was lost'));
  const appends = ['a', 'b', 'c', 'd'].map((stream) => anAppend([noted(stream, 0, 'one')]));
  const outcomes = await Promise.allSettled(appends.map((each) => store.append(each)));
  expect(outcomes.map(({ status }) => status)).toEqual(Array(4).fill('rejected'));
  expect(lost).toHaveBeenCalledTimes(2);
  const repeated = await Promise.all(appends.map((each) => store.append(each)));
  expect(repeated.map(({ position }) => position)).toEqual([1, 2, 3, 4]);
});

/** What a caller may ask for, on a few streams and with a few commands, so that they meet. */
const CALLS = fc.array(
  fc.record({
    stream: fc.constantFrom('a', 'b', 'c', 'd'),
    command: fc.integer({ min: 0, max: 12 }),
    notes: fc.array(fc.constantFrom('x', '\0', '\ud800', 'é"\\'), { maxLength: 3 }),
    kind: fc.constantFrom('plain', 'plain', 'plain', 'verified', 'refused', 'dry', 'elsewhere'),
    pauses: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
);

type Call = ReturnType<typeof CALLS.generate>['value'] extends readonly (infer One)[] ? One : never;

/** The reply of a call. */
interface Reply {
  readonly kind: Call['kind'];
  readonly texts: readonly string[];
}

const refusal = new Error('the limit is reached');

/** Reads, decides on what it read, and appends, as a command handler does; a conflict is not retried. */
const execute = async ({ stream, command, kind, notes: texts }: Call): Promise<StoredReply> => {
  const { store } = notes;
  const commandId = `command ${String(command)}`;
  const earlier = await store.replyTo(commandId);
  if (earlier !== undefined) return earlier;
  const [{ version } = { version: 0 }] = await store.read([stream]);
  const append = anAppend([noted(stream, version, ...texts)], {
    cause: aCause(commandId),
    reply: { kind, texts },
    ...(kind === 'verified' && { verify: () => Promise.resolve() }),
    ...(kind === 'refused' && { verify: () => Promise.reject(refusal) }),
    ...(kind === 'dry' && { isDryRun: true }),
    ...(kind === 'elsewhere' && { project: async () => Promise.resolve() }),
  });
  return store.append(append);
};

it('records exactly what it has acknowledged, whatever comes together', async () => {
  await fc.assert(
    fc.asyncProperty(CALLS, async (calls) => {
      await notes.empty();
      const running: Promise<PromiseSettledResult<StoredReply>>[] = [];
      for (const call of calls) {
        running.push(Promise.allSettled([execute(call)]).then(([settled]) => settled));
        if (call.pauses) await notes.store.position();
      }
      const outcomes = await Promise.all(running);
      const errors = outcomes.flatMap((each): unknown[] =>
        each.status === 'rejected' ? [each.reason] : [],
      );
      for (const error of errors)
        expect(error instanceof VersionConflict || error === refusal).toBe(true);
      await expectNoGap();
      await expectChained();
      const recorded = await facts();
      const versions = new Map<string, number>();
      for (const { stream, version } of recorded) {
        expect(version).toBe((versions.get(stream) ?? 0) + 1);
        versions.set(stream, version);
      }
      const replies = await Promise.all(
        calls.map(({ command }) => notes.store.replyTo(`command ${String(command)}`)),
      );
      const viewed = new Set<number>();
      for (const [index, { command, kind }] of calls.entries()) {
        const outcome = outcomes[index];
        const isRecorded = outcome?.status === 'fulfilled' && kind !== 'dry';
        if (isRecorded) expect(replies[index]).toEqual(outcome.value);
        const { texts = [], kind: written } = (replies[index]?.reply ?? {}) as Partial<Reply>;
        const own = recorded.filter(({ causation }) => causation === `command ${String(command)}`);
        expect(own.map(({ data }) => (data as { note: string }).note)).toEqual(texts);
        if (own.length > 0) expect(own.at(-1)?.position).toBe(replies[index]?.position);
        if (written !== 'elsewhere') for (const { position } of own) viewed.add(position);
      }
      expect(await notes.notes()).toEqual([...viewed].sort((a, b) => a - b));
    }),
    { numRuns: 150, endOnFailure: true },
  );
});
