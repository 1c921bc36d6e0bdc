import { TopicFacts } from './topic-facts';

const fact = (position: number, members: object = {}): string =>
  JSON.stringify({ position, actor: 'key-1', data: { name: 'a', kind: 'b' }, ...members });

const taken = (...texts: readonly string[]): TopicFacts => {
  const topic = new TopicFacts();
  for (const text of texts) topic.take(text);
  return topic;
};

const said = ({ differences }: TopicFacts): string[] =>
  differences.map(({ where, what }) => `${where} ${what}`);

it.each<[string, readonly string[], readonly string[]]>([
  ['in order', [fact(1), fact(2), fact(3)], []],
  ['again, as they were', [fact(1), fact(2), fact(3), fact(2), fact(3), fact(4)], []],
  [
    'again, with members in another order',
    [fact(1), fact(1, { data: { kind: 'b', name: 'a' } })],
    [],
  ],
  [
    'again, with other content',
    [fact(1), fact(1, { actor: 'key-2' })],
    ['configuration position 1 is there twice, with different content'],
  ],
  [
    'with gaps',
    [fact(2), fact(5)],
    [1, 3, 4].map((n) => `configuration position ${String(n)} is missing`),
  ],
  [
    'swapped',
    [fact(2), fact(1)],
    ['configuration position 1 is missing', 'configuration position 1 comes after position 2'],
  ],
])('takes facts %s', (_, texts, expected) => {
  expect(said(taken(...texts))).toEqual(expected);
});

it('gives them in order, each once, up to a position', () => {
  const topic = taken(fact(1), fact(3), fact(2), fact(3), fact(4));
  expect(topic.upTo(3).map(({ position }) => position)).toEqual([1, 2, 3]);
});

it('says what is not there yet', () => {
  const topic = taken(fact(1));
  expect(topic.upTo(1)).toHaveLength(1);
  expect(said(topic)).toEqual([]);
  topic.upTo(3);
  expect(said(topic)).toEqual([
    'configuration position 2 is not published',
    'configuration position 3 is not published',
  ]);
});
