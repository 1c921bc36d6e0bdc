import { fitting, MAX_ANSWER_BYTES } from './fitting';

/** Two quotes and a comma. */
const FRAME_BYTES = 3;
const ofBytes = (bytes: number, character = 'x'): string =>
  character.repeat((bytes - FRAME_BYTES) / Buffer.byteLength(character));

it.each([0, 1, 3])('all %d fit that are small', (count) => {
  const items = Array.from({ length: count }, (_, n) => n);
  expect(fitting(items)).toEqual({ items, rest: undefined });
});

it.each([
  [MAX_ANSWER_BYTES, 2],
  [MAX_ANSWER_BYTES + 1, 1],
])('of %d bytes fit %d', (bytes, count) => {
  const items = [ofBytes(1_000), ofBytes(bytes - 1_000)];
  expect(fitting(items)).toEqual({ items: items.slice(0, count), rest: items[count] });
});

it('one fits however large, and what is behind it is not asked for', () => {
  const large = ofBytes(MAX_ANSWER_BYTES + 1);
  const asked: number[] = [];
  const items = function* () {
    for (const n of [0, 1, 2]) {
      asked.push(n);
      yield large;
    }
  };
  expect(fitting(items())).toEqual({ items: [large], rest: large });
  expect(asked).toEqual([0, 1]);
});

it('counts bytes as they are written', () => {
  const half = MAX_ANSWER_BYTES / 2;
  expect(fitting([ofBytes(half + 1, 'é'), ofBytes(half + 1, 'é')]).items).toHaveLength(1);
  const quotes = '"'.repeat(half / 2);
  expect(fitting([quotes, quotes]).items).toHaveLength(1);
  expect(fitting([quotes, quotes], () => 'x').items).toHaveLength(2);
});
