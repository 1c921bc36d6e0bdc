import type { SnowflakeSession } from '@penstock/databases';
import type { StatementRows } from '../../platform/statement-reads';
import { INSTALL_TIMEOUT_MS, SnowflakeStand } from '../stand.fixture';
import { readStatement } from './read-statement';
import { readableTables } from './readable-tables';
import { writingRights } from './writing-rights';

jest.setTimeout(60_000);

const MAX_BYTES = 10_000;

let stand: SnowflakeStand;

beforeAll(async () => {
  stand = await SnowflakeStand.open();
  await stand.run(
    'CREATE TABLE OWN (ID NUMBER(19,0), NOTE VARCHAR(10), "AT" TIMESTAMP_TZ(9))',
    "INSERT INTO OWN (ID, NOTE) VALUES (1, 'one'), (2, 'two')",
    'CREATE TABLE "_HIDDEN" (ID NUMBER(19,0))',
    'CREATE SCHEMA ELSEWHERE',
    'CREATE TABLE ELSEWHERE.SECRETS (SECRET VARCHAR)',
  );
}, INSTALL_TIMEOUT_MS);
afterAll(() => stand.close());

const on = async <T>(work: (session: SnowflakeSession) => Promise<T>): Promise<T> => {
  const session = await stand.session();
  try {
    return await work(session);
  } finally {
    await session.close(true);
  }
};

const read = (text: string, maxBytes = MAX_BYTES): Promise<StatementRows> =>
  on((session) => readStatement(session, { text, maxBytes }));

describe('a statement', () => {
  it('gives its columns and rows, in the schema of the warehouse', async () => {
    expect(await read('SELECT ID, NOTE FROM OWN ORDER BY ID')).toEqual({
      columns: [
        { name: 'ID', type: 'NUMBER(19,0)' },
        { name: 'NOTE', type: 'VARCHAR' },
      ],
      rows: ['[1,"one"]', '[2,"two"]'],
      isCut: false,
    });
  });

  it.each([
    'SELECT 1 AS N',
    'SELECT 1 AS N;',
    'SELECT 1 AS N -- the end',
    'WITH A AS (SELECT 1 AS N) SELECT * FROM A',
  ])('may be %s', async (text) => {
    expect((await read(text)).rows).toEqual(['[1]']);
  });

  it('may give no rows', async () => {
    expect(await read('SELECT ID FROM OWN WHERE FALSE')).toEqual({
      columns: [{ name: 'ID', type: 'NUMBER(19,0)' }],
      rows: [],
      isCut: false,
    });
  });

  const four = "SELECT 'xxx' AS X FROM TABLE(GENERATOR(ROWCOUNT => 4))";

  it.each([
    ['as many bytes as there may be', 4 * 8, 4, false],
    ['one more', 4 * 8 - 1, 3, true],
    ['any, but for its first row', 1, 1, true],
  ])('is cut where its rows have no room: %s', async (_, maxBytes, count, isCut) => {
    const { rows, isCut: isSaid } = await read(four, maxBytes);
    expect([rows.length, isSaid]).toEqual([count, isCut]);
  });

  it('is read no further than it is given', async () => {
    const text = "SELECT repeat('x', 1000) AS X FROM TABLE(GENERATOR(ROWCOUNT => 40000))";
    const { rows, isCut } = await read(text, 700_000);
    expect(isCut).toBe(true);
    expect(rows.length).toBeGreaterThan(650);
    expect(rows.length).toBeLessThan(700);
  });

  it.each([
    'INSERT INTO OWN (ID) VALUES (3)',
    'DELETE FROM OWN',
    'DROP TABLE OWN',
    'CREATE TABLE ANOTHER (ID NUMBER)',
    'SELECT 1; DELETE FROM OWN',
    'SELECT 1); DELETE FROM OWN; SELECT (1',
    'SELECT * FROM NOWHERE',
    'SELECT FROM WHERE',
    'SELECT SYSTEM$CANCEL_ALL_QUERIES(1)',
    '',
  ])('that is %j is refused, and changes nothing', async (text) => {
    await expect(read(text)).rejects.toMatchObject({ name: 'WarehouseFault', kind: 'invalid' });
    expect((await read('SELECT COUNT(*) AS N FROM OWN')).rows).toEqual(['[2]']);
  });
});

it("tells the tables that can be read, without those that are the service's own", async () => {
  const found = await on((session) =>
    readableTables(session, { database: session.database, schema: session.schema }),
  );
  expect(found).toEqual({
    isCut: false,
    tables: [
      {
        name: 'OWN',
        columns: [
          { name: 'ID', type: 'NUMBER(19,0)' },
          { name: 'NOTE', type: 'VARCHAR(10)' },
          { name: 'AT', type: expect.stringMatching(/^TIMESTAMP_TZ/) as string },
        ],
      },
    ],
  });
});

describe('the rights that let a role write', () => {
  it('are none of a role that reads', async () => {
    await stand.run(
      'GRANT SELECT ON TABLE CRM.PUBLIC.OWN TO ROLE LOADER',
      'GRANT USAGE ON SCHEMA CRM.PUBLIC TO ROLE LOADER',
    );
    expect(await on(writingRights)).toEqual([]);
  });

  it('are those of the role, of roles that it inherits, and of everybody', async () => {
    await stand.run(
      'GRANT ROLE MIDDLE TO ROLE LOADER',
      'GRANT ROLE BASE TO ROLE MIDDLE',
      'GRANT ROLE LOADER TO ROLE BASE',
      'GRANT INSERT, SELECT, DELETE ON TABLE CRM.PUBLIC.OWN TO ROLE BASE',
      'GRANT CREATE VIEW ON SCHEMA CRM.PUBLIC TO ROLE PUBLIC',
      'GRANT EVOLVE SCHEMA ON TABLE CRM.PUBLIC.OWN TO ROLE MIDDLE',
      'GRANT USAGE ON PROCEDURE CRM.PUBLIC.P TO ROLE MIDDLE',
      'GRANT OWNERSHIP ON TABLE CRM.PUBLIC.OTHER TO ROLE LOADER',
      'GRANT TRUNCATE ON TABLE CRM.PUBLIC.OWN TO ROLE STRANGER',
    );
    expect(await on(writingRights)).toEqual([
      'role "BASE" may DELETE, INSERT on TABLE CRM.PUBLIC.OWN',
      'role "LOADER" may OWNERSHIP on TABLE CRM.PUBLIC.OTHER',
      'role "MIDDLE" may EVOLVE SCHEMA on TABLE CRM.PUBLIC.OWN',
      'role "MIDDLE" may USAGE on PROCEDURE CRM.PUBLIC.P',
      'role "PUBLIC" may CREATE VIEW on SCHEMA CRM.PUBLIC',
    ]);
  });
});
