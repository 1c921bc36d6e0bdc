import { RECOGNIZED_WITHIN, RepeatedIds } from './repeated-ids';

it('recognizes a repetition within the latest records, and none beyond them', () => {
  const ids = new RepeatedIds(0);
  expect(ids.isRepeated('a', 0)).toBe(false);
  expect(ids.isRepeated('b', 1)).toBe(false);
  expect(ids.isRepeated('a', RECOGNIZED_WITHIN)).toBe(true);
  expect(ids.isRepeated('b', 1 + RECOGNIZED_WITHIN + 1)).toBe(false);
  expect(ids.next).toBe(RECOGNIZED_WITHIN + 3);
});

it('keeps no more ids than there are records within which they matter', () => {
  const ids = new RepeatedIds(0);
  for (let offset = 0; offset < 2 * RECOGNIZED_WITHIN; offset += 1)
    ids.isRepeated(String(offset), offset);
  expect(ids.size).toBe(RECOGNIZED_WITHIN + 1);
});

it('gives the same answers when reading begins as many records before', () => {
  let random = 1;
  const hashes = Array.from({ length: 3 * RECOGNIZED_WITHIN }, () => {
    random = (random * 48_271) % 2_147_483_647;
    return String(random % (2 * RECOGNIZED_WITHIN));
  });
  const whole = new RepeatedIds(0);
  const answers = hashes.map((hash, offset) => whole.isRepeated(hash, offset));
  const from = 2 * RECOGNIZED_WITHIN;
  const begun = new RepeatedIds(from - RECOGNIZED_WITHIN);
  for (let offset = begun.next; offset < from; offset += 1)
    begun.isRepeated(hashes[offset]!, offset);
  const others: number[] = [];
  for (let offset = from; offset < hashes.length; offset += 1)
    if (begun.isRepeated(hashes[offset]!, offset) !== answers[offset]) others.push(offset);
  expect(others).toEqual([]);
  expect(new Set(answers.slice(from))).toEqual(new Set([true, false]));
});
