import type { Answer, ApplicationUser, UserPage } from '@penstock/connectors';
import { newRecord } from '@penstock/schema';
import { ApplicationRecords } from './application-source';

const user = (id: string): ApplicationUser => ({
  id,
  updatedAt: null,
  values: newRecord(),
});

const all = async <T>(given: AsyncIterable<T>): Promise<T[]> => {
  const items: T[] = [];
  for await (const each of given) items.push(each);
  return items;
};

/** Reads one page of these users, from behind the first ones. */
const readFrom = async (ids: readonly string[], offset: number) => {
  const page: UserPage = { users: ids.map(user), next: null };
  const schema = { kind: 'object' as const, properties: [] };
  const records = new ApplicationRecords({
    source: {
      limits: () => ({}),
      schema: () => Promise.resolve({ kind: 'answered', value: schema }),
      read: (): Promise<Answer<UserPage>> => Promise.resolve({ kind: 'answered', value: page }),
      readsChanges: false,
    } as never,
    settings: new Map(),
    context: {} as never,
    takeTokens: ({ count }) => Promise.resolve({ count, waitMs: 0 }),
    deadlineMs: 1_000,
    hasNewerSettings: () => false,
    mayBeginAnew: () => false,
  });
  const { signal } = new AbortController();
  const from = { kind: 'page' as const, cursor: 'c1', offset };
  const reading = await records.open({ from, changedSince: null, schema, signal });
  const [only] = await all(reading.pages);
  return only;
};

it('gives all users of a page again that was read in part: others may have changed places with them', async () => {
  const page = await readFrom(['b', 'c', 'd', 'a'], 2);
  expect(page?.records.map(({ id }) => id)).toEqual(['b', 'c', 'd', 'a']);
  expect(page?.records.every(({ mayBeRepeated }) => mayBeRepeated)).toBe(true);
  expect([1, 2, 3].map((count) => page?.positionAfter(count))).toEqual(
    [2, 2, 3].map((offset) => ({ kind: 'page', cursor: 'c1', offset })),
  );
});

it('gives users without an id again only if they were behind the place', async () => {
  const page = await readFrom(['', 'b', '', 'a'], 2);
  expect(page?.records.map(({ id }) => id)).toEqual(['b', null, 'a']);
  expect(page?.positionAfter(2)).toEqual({ kind: 'page', cursor: 'c1', offset: 3 });
});

it('gives a page that was not read as it is', async () => {
  const page = await readFrom(['b', '', 'a'], 0);
  expect(page?.records.map(({ id }) => id)).toEqual(['b', null, 'a']);
  expect(page?.records.some(({ mayBeRepeated }) => mayBeRepeated)).toBe(false);
});
