import { mergeContract } from '../merging/merge.contract';
import { call, settingsOf } from '../reading.fixture';
import { MysqlStand } from './mysql-stand.fixture';

jest.setTimeout(60_000);

let stand: MysqlStand;

beforeAll(async () => {
  stand = await MysqlStand.open();
});
afterAll(() => stand.close());

mergeContract(() => stand);

it.each([
  ['utf8mb4_general_ci', ['a', 'A', 'ä', 'a '], true],
  ['utf8mb4_nopad_bin', ['a', 'A', 'ä', 'a '], false],
])('keys that %s takes for one have one text: %j', async (collation, keys, isOne) => {
  const table = `keys_of_${collation}`;
  await stand.run(`CREATE TABLE ${table} (id varchar(20) COLLATE ${collation} PRIMARY KEY, n int)`);
  const merge = { table, key: 'id', properties: ['id', 'n'] };
  const merger = await stand.database.merger(merge, settingsOf(stand.settings()), call());
  const texts = (await merger.equalTexts?.(keys)) ?? keys;
  expect(new Set(texts).size).toBe(isOne ? 1 : keys.length);
  expect(texts).toHaveLength(keys.length);
  expect(await merger.equalTexts?.([])).toEqual([]);
  await merger.close();
});
