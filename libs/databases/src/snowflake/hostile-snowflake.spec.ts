import { createServer, type RequestListener, type Server } from 'node:http';
import { getEventListeners, once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { call, NO_VALUES, settingsOf } from '../reading.fixture';
import { createSnowflakeDatabase } from './snowflake-database';

jest.setTimeout(60_000);

const LOGIN = { token: 't', masterToken: 'm', validityInSeconds: 9, masterValidityInSeconds: 9 };
const PLACE = {
  rowtype: ['D', 'S', 'W'].map((name) => ({ name, type: 'text', nullable: true })),
  rowset: [['D', 'S', 'W']],
  returned: 1,
};

const serving = async (answer: RequestListener): Promise<Server> => {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

/** A server that lets everybody in, and answers queries with something of its own. */
const answering = (answer: string, seen: string[] = []): Promise<Server> =>
  serving((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const asked = Buffer.concat(chunks).toString();
      seen.push(`${request.url ?? ''} ${asked}`);
      const own = request.url?.startsWith('/session') === true ? LOGIN : PLACE;
      const data = JSON.stringify({ success: true, data: own });
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(asked.includes('SELECT * FROM') ? answer : data);
    });
  });

/** What reading a query comes to: records, or the kind of the fault. */
const readFrom = async (server: Server): Promise<unknown> => {
  const { port } = server.address() as AddressInfo;
  const database = createSnowflakeDatabase(() => `http://127.0.0.1:${String(port)}`);
  const settings = settingsOf({
    ...{ account: 'a-b', username: 'u', password: 'hidden', role: 'R' },
    ...{ database: 'D', schema: 'S', warehouse: 'W' },
  });
  const reading = async () => {
    const query = { text: 'SELECT 1', values: NO_VALUES };
    const signal = AbortSignal.timeout(20_000);
    const rows = await database.query(query, settings, call(signal));
    const found: unknown[] = [];
    for await (const batch of rows.records) found.push(...batch);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    return found;
  };
  try {
    return await reading().catch((error: unknown) => (error as { kind: string }).kind);
  } finally {
    server.closeAllConnections();
  }
};

/** The same, with an answer. @param seen gets all that the server was asked. */
const read = async (answer: string, seen: string[] = []): Promise<unknown> => {
  const server = await answering(answer, seen);
  try {
    return await readFrom(server);
  } finally {
    server.close();
  }
};

const result = (type: string, rowset: unknown): string =>
  JSON.stringify({
    success: true,
    data: { rowtype: [{ name: 'x', type, nullable: true }], rowset, returned: 2, version: 1 },
  });

it.each(['', '{', '{}', 'null', '{"success":true}', '{"success":true,"data":{}}'])(
  'an answer of %j is a fault',
  async (answer) => {
    expect(['Unreachable', 'InvalidQuery']).toContain(await read(answer));
  },
);

it('sets what an account may have set otherwise, and tells nothing that it was not asked to tell', async () => {
  const seen: string[] = [];
  expect(await read(result('text', [['a'], ['b']]), seen)).toHaveLength(2);
  const [set] = seen.filter((each) => each.includes('ALTER SESSION'));
  for (const parameter of [
    "TIMEZONE = 'UTC'",
    'ROWS_PER_RESULTSET = 0',
    'QUOTED_IDENTIFIERS_IGNORE_CASE = FALSE',
    'CLIENT_RESULT_CHUNK_SIZE = 48',
    'ABORT_DETACHED_QUERY = TRUE',
  ])
    expect(set).toContain(parameter);
  const paths = seen.map((each) => each.split('?', 1)[0]);
  const query = '/queries/v1/query-request';
  expect(paths).toEqual(['/session/v1/login-request', query, query, query, '/session']);
});

it('goes nowhere else, whatever the server says', async () => {
  let visits = 0;
  const elsewhere = await serving((_, response) => {
    visits += 1;
    response.end(JSON.stringify({ success: true, data: LOGIN }));
  });
  const { port } = elsewhere.address() as AddressInfo;
  const location = `http://127.0.0.1:${String(port)}/`;
  const server = await serving((_, response) => {
    response.writeHead(307, { Location: location }).end();
  });
  try {
    expect(await readFrom(server)).toBe('Unreachable');
    expect(visits).toBe(0);
  } finally {
    for (const each of [server, elsewhere]) each.close();
  }
});

it.each([403, 404])('an account that answers %s refuses', async (status) => {
  const server = await serving((_, response) => {
    response.writeHead(status).end('<html>');
  });
  try {
    expect(await readFrom(server)).toBe('Refused');
  } finally {
    server.close();
  }
});

it.each([
  ['fixed', ['x', { a: 1 }]],
  ['real', ['x', []]],
  ['date', ['x', '9999999']],
  ['time', ['86400', 'x']],
  ['timestamp_tz', ['x', '1']],
  ['variant', ['(() => process.exit())()', '<x/>']],
])('cells of %s that are none are errors of their rows, and end nothing', async (type, cells) => {
  const records = (await read(
    result(
      type,
      cells.map((cell) => [cell]),
    ),
  )) as object[];
  expect(records).toHaveLength(2);
  expect(records.filter((record) => 'error' in record).length).toBeGreaterThan(0);
});

it.each([[[null, 5]], [[[], [undefined]]]])('rows of %j have no values', async (rowset) => {
  expect(await read(result('text', rowset))).toMatchObject([
    { values: { x: null } },
    { values: { x: null } },
  ]);
});
