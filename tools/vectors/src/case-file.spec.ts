import { isJsonObject, type JsonObject, parseJson } from '@penstock/schema';
import { type CaseFile, listsOf } from './case-file';
import { asText } from './members';
import { runList } from './run-list';

const FILE: CaseFile = {
  headers: ['unit'],
  lists: () => ({
    sums: (members) => {
      const [sum, parts] = [asText(members.get('sum')), asText(members.get('parts'))];
      const total = () => parts.split('+').reduce((all, part) => all + Number(part), 0);
      return { title: parts, run: () => ({ expected: Number(sum), actual: total() }) };
    },
  }),
};

const fileOf = (text: string): JsonObject => {
  const json = parseJson(text);
  if (!isJsonObject(json)) throw new TypeError('not an object');
  return json;
};

const run = async (text: string) =>
  Promise.all(listsOf('file.json', fileOf(text), FILE).map(runList));

it('counts the cases that pass and shows those that fail', async () => {
  const text = '{"format":1,"unit":"m","sums":[{"sum":3,"parts":"1+2"},{"sum":3,"parts":"1+1"}]}';
  expect(await run(text)).toEqual([
    { name: 'file.json sums', passed: 1, differences: ['1 1+1\nexpected 3\ngot      2'] },
  ]);
});

it.each([
  ['a list that it does not know', '{"format":1,"products":[]}', 'file.json products'],
  ['a case that it cannot read', '{"format":1,"sums":[{"sum":3}]}', 'file.json sums'],
])('fails for %s', async (_, text, name) => {
  const [result] = await run(text);
  expect(result).toMatchObject({ name, passed: 0 });
  expect(result?.differences).toHaveLength(1);
});

it('rejects a file of another format', () => {
  expect(() => listsOf('file.json', fileOf('{"format":2}'), FILE)).toThrow(
    'file.json is not of format 1',
  );
});
