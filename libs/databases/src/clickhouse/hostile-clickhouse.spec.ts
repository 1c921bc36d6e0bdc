import type { Socket } from 'node:net';
import { flood, type Flood, hostileServer } from '../hostile-server.fixture';
import { call, readAll, settingsOf } from '../reading.fixture';
import { clickhouseDatabase } from './clickhouse-database';
import { ClickhouseSession } from './session';

const MIB = 1_048_576;

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const META = '{"meta":[{"name":"name","type":"String"}],"data":[';

/** The answer to what a session asks first. */
const SETTINGS = `${META}["readonly","0","UTC"]],"rows":1}`;

const answerOf = (body: string): string =>
  `${HEAD}Content-Length: ${String(body.length)}\r\nConnection: close\r\n\r\n${body}`;

/** A server that sends something of its own when it is asked for the first or the second time. */
const reading = async (at: 1 | 2, sent: Flood) => {
  let asked = 0;
  const server = await hostileServer((socket: Socket) => {
    socket.once('data', () => {
      asked += 1;
      if (asked === at) flood(socket, sent);
      else socket.end(answerOf(SETTINGS));
    });
  });
  const settings = settingsOf({
    ...{ host: '127.0.0.1', port: server.port, username: 'u', password: 'hidden', database: 'd' },
  });
  const outcome: unknown = await readAll(clickhouseDatabase, settings, 'SELECT 1').catch(
    (error: unknown) => error,
  );
  await server.close();
  return { outcome, taken: server.taken(), peak: server.peak() };
};

const begun = (body: string): Buffer => Buffer.from(`${HEAD}Connection: close\r\n\r\n${body}`);

const ANSWER = 'the database server has sent more than 16 MiB as one answer';
const ROW = 'a row takes more than 64 MiB';

it.each<[string, 1 | 2, Flood, object]>([
  [
    'what is no answer',
    1,
    { head: begun('x'), piece: Buffer.from('x') },
    { kind: 'Unreachable', message: ANSWER },
  ],
  [
    'what is no row',
    2,
    { head: begun(`${META}x`), piece: Buffer.from('x') },
    { kind: 'InvalidQuery', message: ROW },
  ],
  [
    'rows',
    1,
    { head: begun(META), piece: Buffer.from('["a"],') },
    { kind: 'Unreachable', message: ANSWER },
  ],
  [
    'one row',
    2,
    { head: begun(`${META}["`), piece: Buffer.from('x') },
    { kind: 'InvalidQuery', message: ROW },
  ],
  [
    'columns',
    2,
    { head: begun('{"meta":['), piece: Buffer.from('{"name":"","type":""},') },
    { kind: 'InvalidQuery', message: ROW },
  ],
  [
    'values',
    2,
    { head: begun(`${META}[[`), piece: Buffer.from('1,') },
    { kind: 'InvalidQuery', message: 'a row has more than 1048576 values' },
  ],
])('%s without an end are taken up to the limit', async (_, at, sent, expected) => {
  const { outcome, taken, peak } = await reading(at, sent);
  expect(outcome).toMatchObject({ name: 'DatabaseFault', ...expected });
  expect(taken).toBeLessThan(500 * MIB);
  expect(peak).toBeLessThan(320 * MIB);
});

it.each([
  ['an error', 'HTTP/1.1 500 Error\r\nConnection: close\r\n\r\n', 'the server answered 500'],
  ['a header', 'HTTP/1.1 200 OK\r\nX: ', 'connection was lost'],
])('%s without an end is read in part', async (_, head, message) => {
  const { outcome, taken } = await reading(1, { head: Buffer.from(head), piece: Buffer.from('x') });
  expect(outcome).toMatchObject({ kind: 'Unreachable', message });
  expect(taken).toBeLessThan(16 * MIB);
});

it('an answer to what is written is taken up to the limit', async () => {
  let asked = 0;
  const server = await hostileServer((socket) => {
    socket.once('data', () => {
      asked += 1;
      if (asked === 2) flood(socket, { head: begun(''), piece: Buffer.from('x') });
      else socket.end(answerOf(SETTINGS));
    });
  });
  const session = await ClickhouseSession.open(
    {
      ...{ host: '127.0.0.1', port: server.port, username: 'u', password: '', database: 'd' },
      tls: false,
    },
    call(),
  );
  await expect(session.write(Buffer.from('INSERT'))).rejects.toMatchObject({ message: ANSWER });
  await server.close();
});

it('an answer to a statement of our own with a row that is no JSON is unreadable', async () => {
  const server = await hostileServer((socket) => {
    socket.once('data', () => socket.end(answerOf(`${META}[{"a":1,"a":2}]],"rows":1}`)));
  });
  const target = { host: '127.0.0.1', port: server.port, username: 'u', password: '' };
  const opened = ClickhouseSession.open({ ...target, database: 'd', tls: false }, call());
  await expect(opened).rejects.toMatchObject({
    kind: 'Unreachable',
    message: 'what the database server has sent cannot be read',
  });
  await server.close();
});
