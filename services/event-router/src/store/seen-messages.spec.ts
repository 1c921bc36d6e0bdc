import { SeenMessages } from './seen-messages';

type Answer = (hashes: readonly string[]) => Promise<ReadonlyMap<string, string>>;

const store = (answer: Answer) => {
  const queries: (readonly string[])[] = [];
  return {
    queries,
    hasFormerIds: false,
    seen: (hashes: readonly string[]) => {
      queries.push(hashes);
      return answer(hashes);
    },
  };
};

it('runs one query for concurrent look-ups, and one for all that came during the query', async () => {
  const known = store((hashes) =>
    Promise.resolve(new Map(hashes.map((hash) => [hash, `d-${hash}`]))),
  );
  const messages = new SeenMessages(known);
  const together = [messages.find(['a']), messages.find(['b'])];
  await Promise.resolve();
  const meanwhile = [messages.find(['c', 'd']), messages.find(['e'])];
  const answers = await Promise.all([...together, ...meanwhile]);
  expect(known.queries).toEqual([
    ['a', 'b'],
    ['c', 'd', 'e'],
  ]);
  expect(answers.map((answer) => answer.get('b'))).toEqual(['d-b', 'd-b', undefined, undefined]);
  await messages.find(['f']);
  expect(known.queries).toHaveLength(3);
});

it('rejects all pending look-ups when the query fails, and runs another for later ones', async () => {
  let isAway = true;
  const known = store(() =>
    isAway ? Promise.reject(new Error('away')) : Promise.resolve(new Map()),
  );
  const messages = new SeenMessages(known);
  const results = await Promise.allSettled([messages.find(['a']), messages.find(['b'])]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isAway = false;
  expect(await messages.find(['a'])).toEqual(new Map());
});
