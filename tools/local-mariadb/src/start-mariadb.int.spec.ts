import { createConnection } from 'mysql2/promise';
import { type LocalMariadb, startMariadb } from './start-mariadb';

let server: LocalMariadb;

beforeAll(async () => {
  server = await startMariadb();
});
afterAll(() => server.stop());

const run = async (...statements: readonly string[]): Promise<unknown> => {
  const { port, username, password, database } = server;
  const connection = await createConnection({
    ...{ host: '127.0.0.1', port, user: username, password, database },
  });
  let rows: unknown;
  for (const statement of statements) [rows] = await connection.query(statement);
  await connection.end();
  return rows;
};

it('keeps what is committed when it is killed at once', async () => {
  await run(
    'CREATE TABLE users (id int PRIMARY KEY)',
    'INSERT INTO users SELECT seq FROM seq_1_to_1000',
  );
  await server.kill();
  await server.restart();
  expect(await run('SELECT count(*) AS users FROM users')).toEqual([{ users: 1000 }]);
});
