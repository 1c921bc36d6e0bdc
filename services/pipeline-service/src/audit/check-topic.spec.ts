import type { LogRecord } from '@penstock/messaging';
import { Differences } from '@penstock/platform';
import { TopicChecks } from './check-topic';
import type { StoredFact } from './stored-facts';

const published = (position: number, members: object = {}): object => ({
  position,
  actor: 'key-1',
  data: { name: 'a', kind: 'b' },
  ...members,
});

/** The stored facts: every position up to the last. */
const stored = (last: number) => ({
  last,
  at: (positions: readonly number[]) =>
    Promise.resolve(
      new Map(
        positions.map((position) => {
          const fact = published(position, {
            data: '{"kind":"b","name":"a"}',
            hash: 'h',
            owner: 'w',
          });
          return [position, fact as StoredFact];
        }),
      ),
    ),
});

const reported = async (
  last: number,
  ...batches: readonly (readonly object[])[]
): Promise<string[]> => {
  const differences = new Differences();
  const topic = new TopicChecks(stored(last), differences);
  for (const facts of batches)
    await topic.take(facts.map((fact) => ({ value: JSON.stringify(fact) }) as LogRecord));
  topic.end();
  return differences.named.map(({ where, what }) => `${where} ${what}`);
};

const fact = published;

it('names what is no fact, by its offset', async () => {
  const differences = new Differences();
  const topic = new TopicChecks(stored(2), differences);
  const values = [
    ...[JSON.stringify(fact(1)), null, '{', 'null', '{"position":"2"}', '{"position":1.5}'],
    ...['{"position":0}', JSON.stringify(fact(2))],
  ];
  await topic.take(values.map((value, offset) => ({ value, offset }) as LogRecord));
  topic.end();
  expect(differences.named.map(({ where, what }) => `${where} ${what}`)).toEqual(
    [1, 2, 3, 4, 5, 6].map(
      (offset) => `configuration offset ${String(offset)} is not a fact of the configuration`,
    ),
  );
});

it.each<[string, readonly object[], readonly string[]]>([
  ['in order', [fact(1), fact(2), fact(3)], []],
  ['with their hashes', [fact(1, { hash: 'h' }), fact(2), fact(3)], []],
  ['again, as they were', [fact(1), fact(2), fact(3), fact(2), fact(3)], []],
  [
    'again, in another order of members',
    [fact(1), fact(1, { data: { kind: 'b', name: 'a' } }), fact(2), fact(3)],
    [],
  ],
  ['behind the last one that counts', [fact(1), fact(2), fact(3), fact(4, { actor: 'x' })], []],
  [
    'again, with other content',
    [fact(1), fact(1, { actor: 'key-2' }), fact(2), fact(3)],
    ['configuration position 1 is there twice, with different content'],
  ],
  [
    'that are not those of the database',
    [fact(1), fact(2, { actor: 'key-2', hash: 'other' }), fact(3)],
    ['penstock.facts position 2 differs in actor, hash'],
  ],
  [
    'with gaps',
    [fact(2)],
    ['configuration position 1 is missing', 'configuration position 3 is not published'],
  ],
  [
    'swapped',
    [fact(2), fact(1), fact(3)],
    ['configuration position 1 is missing', 'configuration position 1 comes after position 2'],
  ],
])('checks facts %s', async (_, facts, expected) => {
  expect(await reported(3, facts)).toEqual(expected);
  expect(await reported(3, ...facts.map((each) => [each]))).toEqual(expected);
});
