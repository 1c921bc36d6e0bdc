import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Client } from 'pg';
import { openTcpGate, type TcpGate } from '../contract/tcp-gate';
import { itKeepsTheMessageLogPromises } from '../message-log.contract';
import { PostgresMessageLog } from './postgres-message-log';

const { TEST_DATABASE_URL } = process.env;
if (!TEST_DATABASE_URL) throw new Error('TEST_DATABASE_URL must name a PostgreSQL server');

const database = `log_${randomUUID().replaceAll('-', '')}`;
const own = new URL(TEST_DATABASE_URL);
own.pathname = `/${database}`;

const administer = async (statement: string): Promise<void> => {
  const client = new Client({ connectionString: TEST_DATABASE_URL });
  await client.connect();
  await client.query(statement);
  await client.end();
};

let gate: TcpGate;
const throughTheGate = (): string => {
  const url = new URL(own);
  url.hostname = '127.0.0.1';
  url.port = String(gate.port);
  return url.href;
};
const faults: string[] = [];
const open = (maxBufferedBytes?: number) =>
  new PostgresMessageLog({
    connection: { connectionString: throughTheGate() },
    onFault: (what, error) => faults.push(`${what}: ${String(error)}`),
    ...(maxBufferedBytes === undefined ? {} : { maxBufferedBytes }),
  });

beforeAll(async () => {
  await administer(`create database ${database}`);
  gate = await openTcpGate(own.hostname, Number(own.port || 5432));
});

afterAll(async () => {
  await gate.close();
  await administer(`drop database ${database} with (force)`);
});

describe('PostgresMessageLog', () => {
  itKeepsTheMessageLogPromises({
    open: ({ maxBufferedBytes } = {}) => Promise.resolve(open(maxBufferedBytes)),
    child: {
      module: join(__dirname, 'open-for-crash-test.ts'),
      env: { PENSTOCK_LOG_URL: own.href },
    },
    outage: {
      begin: () => {
        gate.shut();
        return Promise.resolve();
      },
      end: () => {
        gate.open();
        return Promise.resolve();
      },
    },
    compact: async (log) => {
      await (log as PostgresMessageLog).maintain({ compactsNow: true });
    },
  });
});
