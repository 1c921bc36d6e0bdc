import { Stage } from './stage.fixture';

jest.setTimeout(60_000);

let stage: Stage;
let reader: string;

beforeEach(async () => {
  stage = await Stage.open();
  reader = await stage.role();
  await stage.run(
    'CREATE SCHEMA warehouse',
    'CREATE TABLE warehouse.t (a int, b int)',
    'CREATE VIEW warehouse.v AS SELECT * FROM warehouse.t',
    'CREATE SEQUENCE warehouse.s',
    `GRANT USAGE ON SCHEMA warehouse TO ${reader}`,
    `GRANT SELECT ON ALL TABLES IN SCHEMA warehouse TO ${reader}`,
  );
});

afterEach(() => stage.close());

/** With `me` in the place of the reader's name. */
const rights = async (): Promise<string[]> => {
  const sentences = await stage.as(reader, (warehouse) => warehouse.writingRights());
  return sentences.map((sentence) => sentence.replaceAll(reader, 'me'));
};

it('are none of a user that can only read', async () => {
  await stage.run(
    `GRANT SELECT (a) ON warehouse.t TO ${reader}`,
    `GRANT USAGE, SELECT ON SEQUENCE warehouse.s TO ${reader}`,
    `GRANT TEMPORARY ON DATABASE ${await currentDatabase()} TO ${reader}`,
    `GRANT pg_read_all_data, pg_monitor TO ${reader}`,
  );
  expect(await rights()).toEqual([]);
});

const currentDatabase = async (): Promise<string> => {
  const rows = await stage.rows('SELECT current_database() AS name');
  return (rows[0] as { name: string }).name;
};

describe('by grants', () => {
  it.each([
    ['GRANT INSERT ON warehouse.t', 'may INSERT on warehouse.t'],
    ['GRANT UPDATE, DELETE ON warehouse.t', 'may DELETE, UPDATE on warehouse.t'],
    ['GRANT TRUNCATE ON warehouse.t', 'may TRUNCATE on warehouse.t'],
    ['GRANT REFERENCES ON warehouse.t', 'may REFERENCES on warehouse.t'],
    ['GRANT TRIGGER ON warehouse.t', 'may TRIGGER on warehouse.t'],
    ['GRANT UPDATE ON warehouse.v', 'may UPDATE on warehouse.v'],
    ['GRANT INSERT (b) ON warehouse.t', 'may INSERT on warehouse.t.b'],
    ['GRANT UPDATE (a) ON warehouse.v', 'may UPDATE on warehouse.v.a'],
    ['GRANT UPDATE ON SEQUENCE warehouse.s', 'may UPDATE on sequence warehouse.s'],
    ['GRANT CREATE ON SCHEMA warehouse', 'may CREATE on schema warehouse'],
  ])('%s', async (grant, sentence) => {
    await stage.run(`${grant} TO ${reader}`);
    expect(await rights()).toEqual([`role me ${sentence}`]);
    await stage.run(`${grant.replace('GRANT', 'REVOKE')} FROM ${reader}`, `${grant} TO PUBLIC`);
    expect(await rights()).toEqual([`PUBLIC ${sentence}`]);
  });

  it('on the database', async () => {
    const database = await currentDatabase();
    await stage.run(`GRANT CREATE ON DATABASE ${database} TO ${reader}`);
    expect(await rights()).toEqual([`role me may CREATE on database ${database}`]);
  });

  it('on anything in the database, also where it cannot look', async () => {
    await stage.run(
      'CREATE SCHEMA "another one"',
      'CREATE TABLE "another one".t ()',
      `GRANT DELETE ON "another one".t TO ${reader}`,
    );
    expect(await rights()).toEqual(['role me may DELETE on "another one".t']);
  });
});

describe('by roles', () => {
  it.each(['', 'WITH INHERIT FALSE'])('it is a member of, at any distance %s', async (option) => {
    const [near, far] = [await stage.role(), await stage.role()];
    await stage.run(
      `GRANT ${near} TO ${reader} ${option}`,
      `GRANT ${far} TO ${near}`,
      `GRANT INSERT ON warehouse.t TO ${far}`,
    );
    expect(await rights()).toEqual([`role ${far} may INSERT on warehouse.t`]);
  });

  it.each(['SUPERUSER', 'CREATEROLE', 'CREATEDB', 'BYPASSRLS', 'REPLICATION'])(
    'that are %s, its own and others',
    async (attribute) => {
      const shown = attribute === 'SUPERUSER' ? 'SUPER' : attribute;
      await stage.run(`ALTER ROLE ${reader} ${attribute}`);
      expect(await rights()).toEqual([`role me is ${shown}`]);
      const other = await stage.role(attribute);
      await stage.run(`ALTER ROLE ${reader} NO${attribute}`, `GRANT ${other} TO ${reader}`);
      expect(await rights()).toEqual([`role ${other} is ${shown}`]);
    },
  );

  it.each(['pg_write_all_data', 'pg_execute_server_program', 'pg_write_server_files'])(
    'that are predefined to write: %s',
    async (role) => {
      await stage.run(`GRANT ${role} TO ${reader}`);
      expect(await rights()).toEqual([`is a member of ${role}`]);
    },
  );
});

it('are those of the user that logs in, though it then acts as another', async () => {
  const other = await stage.role();
  await stage.run(
    `GRANT USAGE ON SCHEMA warehouse TO ${other}`,
    `GRANT ${other} TO ${reader}`,
    `ALTER ROLE ${reader} SET role = ${other}`,
    `GRANT DELETE ON warehouse.t TO ${reader}`,
  );
  expect(await rights()).toEqual(['role me may DELETE on warehouse.t']);
});

describe('by ownership', () => {
  it.each([
    ['ALTER TABLE warehouse.t OWNER TO', 'owns table warehouse.t'],
    ['ALTER VIEW warehouse.v OWNER TO', 'owns view warehouse.v'],
    ['ALTER SEQUENCE warehouse.s OWNER TO', 'owns sequence warehouse.s'],
    ['ALTER SCHEMA warehouse OWNER TO', 'owns schema warehouse'],
  ])('%s', async (statement, sentence) => {
    await stage.run(`${statement} ${reader}`);
    expect(await rights()).toContain(`role me ${sentence}`);
  });

  it('of a function, and of what a role of it owns', async () => {
    const other = await stage.role();
    await stage.run(
      `GRANT ${other} TO ${reader}`,
      `CREATE FUNCTION warehouse.f() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
      `ALTER FUNCTION warehouse.f() OWNER TO ${other}`,
    );
    expect(await rights()).toEqual([`role ${other} owns function warehouse.f()`]);
  });

  it('of the database', async () => {
    const database = await currentDatabase();
    await stage.run(`ALTER DATABASE ${database} OWNER TO ${reader}`);
    expect(await rights()).toContain(`role me owns database ${database}`);
    await stage.run(`ALTER DATABASE ${database} OWNER TO CURRENT_USER`);
  });
});
