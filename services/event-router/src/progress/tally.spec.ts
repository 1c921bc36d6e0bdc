import { Tally } from './tally';

const MINUTE_MS = 60_000;

const nameOf = (first: { readonly name: string }, second: string, nowMs: number): string =>
  `${first.name}|${second}|${Math.floor(nowMs / MINUTE_MS)}`;

const one = { name: 'one' };
const alsoOne = { name: 'one' };
const two = { name: 'two' };

it('counts by both keys and the minute, equal names together', () => {
  const tally = new Tally(nameOf);
  tally.add(one, 'a', 0);
  tally.add(one, 'a', MINUTE_MS - 1, 3);
  tally.add(one, 'b', 1);
  tally.add(two, 'a', 1);
  tally.add(alsoOne, 'a', 2);
  tally.add(one, 'a', MINUTE_MS);
  tally.add(one, 'a', 5);
  expect(Object.fromEntries(tally.written)).toEqual({
    'one|a|0': 6,
    'one|b|0': 1,
    'two|a|0': 1,
    'one|a|1': 1,
  });
});

it('builds one name for repeated counts within a minute', () => {
  const texts = jest.fn(nameOf);
  const tally = new Tally(texts);
  for (let at = 0; at < 100; at += 1) tally.add(one, 'a', at);
  expect(texts).toHaveBeenCalledTimes(1);
  expect(tally.written.get('one|a|0')).toBe(100);
});

it('is empty before anything is counted', () => {
  expect(new Tally(nameOf).written.size).toBe(0);
});
