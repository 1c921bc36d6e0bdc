import { join } from 'node:path';
import { openTcpGate, type TcpGate } from '../contract/tcp-gate';
import { itKeepsTheMessageLogPromises } from '../message-log.contract';
import { PostgresMessageLog } from './postgres-message-log';
import { makeTestDatabase, type TestDatabase } from './test-database.fixture';

let database: TestDatabase;
let gate: TcpGate;
const env: Record<string, string> = {};

beforeAll(async () => {
  database = await makeTestDatabase();
  const { hostname, port } = database.url;
  gate = await openTcpGate(hostname, Number(port || 5432));
  env['PENSTOCK_LOG_URL'] = database.url.href;
});

afterAll(async () => {
  await gate.close();
  await database.drop();
});

const throughTheGate = (): string => {
  const url = new URL(database.url);
  url.hostname = '127.0.0.1';
  url.port = String(gate.port);
  // Connections through the server's socket would bypass the proxy.
  url.searchParams.delete('host');
  return url.href;
};

describe('PostgresMessageLog', () => {
  itKeepsTheMessageLogPromises({
    open: (options = {}) =>
      Promise.resolve(
        new PostgresMessageLog({
          connection: { connectionString: throughTheGate() },
          onFault: () => undefined,
          ...options,
        }),
      ),
    child: { module: join(__dirname, 'open-log.fixture.ts'), env },
    outage: {
      begin: () => Promise.resolve(gate.shut()),
      end: () => Promise.resolve(gate.open()),
    },
    compact: (log) => (log as PostgresMessageLog).maintain({ compactsNow: true }),
    drop: (log) => (log as PostgresMessageLog).maintain({ nowMs: Date.now() + 2 * 3_600_000 }),
  });
});
