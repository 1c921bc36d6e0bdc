import { databaseContract } from '../database/database.contract';
import { literalsContract } from '../database/literals.contract';
import { call, NO_VALUES, readAll, settingsOf, typesIn } from '../reading.fixture';
import { MysqlStand } from './mysql-stand.fixture';

jest.setTimeout(60_000);

let stand: MysqlStand;

beforeAll(async () => {
  stand = await MysqlStand.open();
});
afterAll(() => stand.close());

databaseContract(() => stand);
describe('a literal', () => {
  literalsContract(() => stand);
});

it('a query may have 2,000 columns', async () => {
  const columns = Array.from({ length: 2_000 }, (_, n) => `${String(n)} AS c${String(n)}`);
  const text = `SELECT ${columns.join(', ')}`;
  const { schema } = await readAll(stand.database, settingsOf(stand.settings()), text);
  expect(Object.keys(typesIn(schema))).toHaveLength(2_000);
});

it('a procedure is not called, since it may commit and write', async () => {
  await stand.run(
    'CREATE PROCEDURE writes() BEGIN COMMIT; SET SESSION TRANSACTION READ WRITE; DELETE FROM people; SELECT 1; END',
  );
  await expect(
    readAll(stand.database, settingsOf(stand.settings()), 'CALL writes()'),
  ).rejects.toMatchObject({ kind: 'InvalidQuery', message: 'the statement gives no rows' });
});

it('a ? stands for no value', async () => {
  await expect(
    readAll(stand.database, settingsOf(stand.settings()), 'SELECT ? AS x'),
  ).rejects.toMatchObject({ kind: 'InvalidQuery' });
});

it('a server that dies while it answers is a fault', async () => {
  const other = await MysqlStand.openOwn();
  try {
    const query = { text: `SELECT n FROM ${other.numbers(5_000_000)}`, values: NO_VALUES };
    const rows = await other.database.query(query, settingsOf(other.settings()), call());
    const reading = async () => {
      for await (const batch of rows.records) {
        expect(batch).not.toEqual([]);
        await other.killServer?.();
      }
    };
    await expect(reading()).rejects.toMatchObject({ kind: 'Unreachable' });
    await rows.close();
  } finally {
    await other.close();
  }
});
