import { type Holding, shareOf } from './share';

const holdings = (text: string): Holding[] =>
  text
    .split('')
    .map((member, partition) => ({ partition, member: member === '.' ? null : member }));

it.each([
  ['alone, takes all', 'a', 'a', '....', [0, 1, 2, 3], []],
  ['alone, takes the rest', 'a', 'a', 'a.a.', [1, 3], []],
  ['gives up what is beyond its share', 'a', 'ab', 'aaaa', [], [2, 3]],
  ['waits for what others hold', 'b', 'ab', 'aaaa', [], []],
  ['takes what was given up, and no more', 'b', 'ab', 'aa..', [2, 3], []],
  ['leaves free what belongs to others', 'b', 'ab', '....', [0, 1], []],
  ['an elder takes the odd one', 'a', 'ab', '.....', [0, 1, 2], []],
  ['a younger one leaves it', 'b', 'ab', '.....', [0, 1], []],
  ['an elder keeps the odd one', 'a', 'ab', 'aaabb', [], []],
  ['more members than partitions', 'c', 'abc', 'ab', [], []],
  ['takes one of a member that has gone', 'b', 'bc', '..cb', [0], []],
  ['is at rest', 'b', 'abc', 'abcabc', [], []],
])('%s', (_, me, members, held, claim, giveUp) => {
  expect(shareOf(me, members.split(''), holdings(held))).toEqual({ claim, giveUp });
});

it.each([1, 2, 3, 5, 8, 13])('with %i members, shares add up to all partitions', (count) => {
  const members = Array.from({ length: count }, (_, index) => `m${index}`);
  const free = holdings('........');
  const sum = members.reduce((total, me) => total + shareOf(me, members, free).claim.length, 0);
  expect(sum).toBe(8);
});
