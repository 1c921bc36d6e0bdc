import { flushStatement } from './flush-statement';

const message = (key: string, value: string | null) => ({ key, value });

it('sends messages as texts split by a control character, grouped by partition', () => {
  const { values } = flushStatement([
    { partitionId: 3, messages: [message('a', '{"n":1}'), message('b', null)] },
    { partitionId: 7, messages: [message('c', '')] },
  ]);

  const [ids, counts, firsts, idOfEach] = ['{3,7}', '{2,1}', '{1,3}', '{3,3,7}'];
  const [keys, texts] = ['a\u001eb\u001ec', '{"n":1}\u001e\u001f\u001e'];
  expect(values).toEqual([ids, counts, firsts, idOfEach, keys, texts]);
});

it.each([
  ['a key with the separator', message('a\u001eb', 'v')],
  ['a value with the separator', message('k', 'a\u001eb')],
  ['a value that looks like a tombstone', message('k', '\u001f')],
])('sends %s as arrays, with another statement', (_, odd) => {
  const plain = message('plain', null);
  const split = flushStatement([{ partitionId: 1, messages: [plain] }]);
  const arrays = flushStatement([{ partitionId: 1, messages: [plain, odd] }]);

  expect(arrays.values?.slice(-2)).toEqual([
    ['plain', odd.key],
    [null, odd.value],
  ]);
  expect(arrays.name).not.toBe(split.name);
  expect(arrays.text).not.toBe(split.text);
});

it.each([
  ['key', message('', 'v')],
  ['value', message('k', '')],
])('sends an empty %s that is alone as an array', (_, alone) => {
  const { values } = flushStatement([{ partitionId: 1, messages: [alone] }]);
  expect(values?.slice(-2)).toEqual([[alone.key], [alone.value]]);
});

it('sends other control characters unchanged in split texts', () => {
  const { values } = flushStatement([
    { partitionId: 1, messages: [message('\u001f', 'a\u001f\n')] },
  ]);
  expect(values?.slice(-2)).toEqual(['\u001f', 'a\u001f\n']);
});
