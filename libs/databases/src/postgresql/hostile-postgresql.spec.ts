import type { Flood } from '../hostile-server.fixture';
import { readAll, settingsOf } from '../reading.fixture';
import {
  columns,
  END,
  hostilePostgresql,
  message,
  rowOf,
  type Stage,
} from './hostile-postgresql.fixture';
import { postgresqlDatabase } from './postgresql-database';

const MIB = 1_048_576;
const GIB = 1_024 * MIB;

const TOO_LONG = {
  name: 'DatabaseFault',
  kind: 'Unreachable',
  message: 'the database server has sent more than 16 MiB as one answer',
};
const STRANGE = {
  kind: 'Unreachable',
  message: 'the database server does not speak as a PostgreSQL does',
};
const ANY = { name: 'DatabaseFault' };
const UNREADABLE = {
  kind: 'Unreachable',
  message: 'what the database server has sent cannot be read',
};

/** Reads from a server that misbehaves. */
const reading = async (stage: Stage, sent: Flood | Buffer, ignoresCancels = false) => {
  const server = await hostilePostgresql(stage, sent, ignoresCancels);
  const settings = settingsOf({
    ...{ host: '127.0.0.1', port: server.port, username: 'u', password: 'hidden', database: 'd' },
    ...{ schema: 'public', sslMode: 'disable' },
  });
  const outcome = await readAll(postgresqlDatabase, settings, 'SELECT 1').then(
    ({ records }) => records.length,
    (error: unknown) => error,
  );
  await server.close();
  return { outcome, taken: server.taken(), peak: server.peak() };
};

const piece = Buffer.alloc(65_536, 'x');

describe.each<Stage>(['login', 'statement'])('at %s', (stage) => {
  it.each<[string, Flood]>([
    ['an error message without an end', { head: message('E', 'SERROR\0M', 15 * MIB), piece }],
    ['notices', { piece: message('N', 'SNOTICE\0Mx\0\0') }],
    ['parameters', { piece: message('S', 'name\0value\0') }],
    ['notifications', { piece: message('A', '\0\0\0\0channel\0payload\0') }],
  ])('%s are taken up to the limit', async (_, sent) => {
    const { outcome, taken, peak } = await reading(stage, sent);
    expect(outcome).toMatchObject(sent.piece === piece ? STRANGE : TOO_LONG);
    expect(taken).toBeLessThan(32 * MIB);
    expect(peak).toBeLessThan(128 * MIB);
  });

  it.each(['E', 'N', 'S', 'A', 'T', 'D', 'C', 'd'])(
    'a message %s of a GiB is refused when it is announced',
    async (kind) => {
      const { outcome, taken } = await reading(stage, { head: message(kind, '', GIB), piece });
      expect(outcome).toMatchObject(TOO_LONG);
      expect(taken).toBeLessThan(8 * MIB);
    },
  );
});

it.each([
  [64 * MIB - 1_024, 1],
  [64 * MIB, { kind: 'InvalidQuery', message: 'a row takes more than 64 MiB' }],
])('a row with a text of %d bytes is read or refused', async (bytes, expected) => {
  const { outcome, peak } = await reading(
    'rows',
    Buffer.concat([message('2', ''), rowOf('x'.repeat(bytes)), END]),
  );
  if (typeof expected === 'number') expect(outcome).toBe(expected);
  else expect(outcome).toMatchObject(expected);
  expect(peak).toBeLessThan(512 * MIB);
});

it.each<[string, Flood]>([
  ['one row', { head: message('D', '\0\u0001', GIB), piece }],
  ['notices', { piece: message('N', 'SNOTICE\0Mx\0\0') }],
])('%s without an end, where rows are read, ends the reading', async (_, sent) => {
  const { outcome, taken, peak } = await reading('rows', sent);
  expect(outcome).toMatchObject({ kind: 'InvalidQuery', message: 'a row takes more than 64 MiB' });
  expect(taken).toBeLessThan(80 * MIB);
  expect(peak).toBeLessThan(256 * MIB);
});

it('five seconds are all that a server has to answer a request to cancel', async () => {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  let waits = 0;
  const spy = jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    if (ms !== 5_000) return timeout(ms);
    waits += 1;
    return timeout(50);
  });
  const sent = { head: message('D', '\0\u0001', GIB), piece };
  const { outcome } = await reading('rows', sent, true).finally(() => {
    spy.mockRestore();
  });
  expect(outcome).toMatchObject({ kind: 'InvalidQuery' });
  expect(waits).toBe(1);
});

it.each<[string, Flood]>([
  ['ends of statements', { piece: message('C', 'SELECT 1\0') }],
  [
    'rows of nulls',
    { head: columns(1_000), piece: rowOf(...Array.from({ length: 1_000 }, () => null)) },
  ],
  ['rows without columns', { head: columns(0), piece: rowOf() }],
])(
  '%s alone, with which a statement of our own is answered, are taken up to the limit',
  async (_, sent) => {
    const { outcome, peak } = await reading('statement', sent);
    expect(outcome).toMatchObject(TOO_LONG);
    expect(peak).toBeLessThan(128 * MIB);
  },
);

describe('what the driver would loop, fail or grow on', () => {
  it.each<[string, Buffer, object]>([
    ['an error without an end of its fields', message('E', ''), STRANGE],
    ['an error whose last field does not end', message('E', 'SERROR\0Mx'), STRANGE],
    ['a notice without an end of its fields', message('N', 'Mx\0'), STRANGE],
    ['a row with less than no cells', message('D', Buffer.from([0xff, 0xfe])), STRANGE],
    ['a row without a count', message('D', '\0'), STRANGE],
    [
      'a row with a cell of less than nothing',
      message('D', Buffer.from([0, 1, 255, 255, 255, 254])),
      STRANGE,
    ],
    ['a row with a cell beyond it', message('D', Buffer.from([0, 1, 0, 0, 0, 9])), STRANGE],
    ['a row of columns that were not described', rowOf('x'), STRANGE],
    ['a row with more cells than columns', Buffer.concat([columns(1), rowOf('x', 'y')]), ANY],
    ['a message of less than its length', message('Z', '', 3), STRANGE],
    ['a message that there is not', message('?', ''), ANY],
    ['columns that are not there', message('T', Buffer.from([0, 9])), UNREADABLE],
    ['a way to log in that there is not', message('R', Buffer.from([0, 0, 0, 99])), UNREADABLE],
  ])('%s ends the connection', async (_, sent, expected) => {
    for (const stage of ['login', 'statement'] as const)
      expect((await reading(stage, sent)).outcome).toMatchObject(expected);
  });
});
