import { fitting, MAX_ANSWER_BYTES } from './fitting';

/** Two quotes and a comma. */
const FRAME_BYTES = 3;
const ofBytes = (bytes: number, character = 'x'): string =>
  character.repeat((bytes - FRAME_BYTES) / Buffer.byteLength(character));

it.each([0, 1, 3])('all of %d small items fit', (count) => {
  const items = Array.from({ length: count }, (_, n) => n);
  expect(fitting(items)).toEqual({ items, rest: undefined });
});

it.each([
  [MAX_ANSWER_BYTES, 2],
  [MAX_ANSWER_BYTES + 1, 1],
])('of items of %d bytes, %d fit', (bytes, count) => {
  const items = [ofBytes(1_000), ofBytes(bytes - 1_000)];
  expect(fitting(items)).toEqual({ items: items.slice(0, count), rest: items[count] });
});

it('one item fits however large, and the items after the next are not read', () => {
  const large = ofBytes(MAX_ANSWER_BYTES + 1);
  const read: number[] = [];
  const items = function* () {
    for (const n of [0, 1, 2]) {
      read.push(n);
      yield large;
    }
  };
  expect(fitting(items())).toEqual({ items: [large], rest: large });
  expect(read).toEqual([0, 1]);
});

it('counts the bytes of the written part', () => {
  const half = MAX_ANSWER_BYTES / 2;
  expect(fitting([ofBytes(half + 1, 'é'), ofBytes(half + 1, 'é')]).items).toHaveLength(1);
  const quotes = '"'.repeat(half / 2);
  expect(fitting([quotes, quotes]).items).toHaveLength(1);
  expect(fitting([quotes, quotes], () => 'x').items).toHaveLength(2);
});
