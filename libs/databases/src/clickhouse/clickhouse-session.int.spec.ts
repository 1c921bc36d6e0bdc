import { SELF_SIGNED } from '@penstock/test-servers';
import tls from 'node:tls';
import { call, NO_VALUES, readAll, settingsOf } from '../reading.fixture';
import { ClickhouseStand } from './clickhouse-stand.fixture';

jest.setTimeout(60_000);

const NUMBER = 'SELECT toInt32(1) AS n';
const MOMENT = "SELECT toDateTime('2024-01-01 00:00:00', 'UTC') AS utc, toDateTime(0) AS here";

describe('a server in another time zone', () => {
  let stand: ClickhouseStand;
  beforeAll(async () => {
    stand = await ClickhouseStand.openOwn({ timezone: 'Asia/Tokyo' });
  });
  afterAll(() => stand.close());

  it('is read without times that it does not write in UTC', async () => {
    const { issues, records } = await readAll(stand.database, settingsOf(stand.settings()), MOMENT);
    expect(records).toEqual(['{"utc":"2024-01-01T00:00:00Z"}']);
    expect(issues).toEqual([
      'column 2 ("here") is left out: type DateTime in the time zone Asia/Tokyo, which the server does not write in UTC, is not supported',
    ]);
  });

  it('is read for a user who may set nothing, and still not written', async () => {
    const settings = settingsOf({ ...stand.settings(), username: 'watcher' });
    expect((await readAll(stand.database, settings, NUMBER)).records).toEqual(['{"n":1}']);
    await expect(
      stand.database.query({ text: 'CREATE DATABASE other', values: NO_VALUES }, settings, call()),
    ).rejects.toMatchObject({ kind: 'InvalidQuery' });
  });

  it.each(['SELECT 1 FORMAT TSV', 'SELECT 1 FORMAT JSON'])(
    'is not read in a format of the query: %s',
    async (text) => {
      await expect(
        readAll(stand.database, settingsOf(stand.settings()), text),
      ).rejects.toMatchObject({
        kind: 'InvalidQuery',
        message: 'the statement gives its rows in a format of its own: leave FORMAT out',
      });
    },
  );

  it('merges into no other table than one that keeps the last row of each key', async () => {
    const columns = 'id Int32, other Int32';
    await stand.run(
      `CREATE TABLE plain (${columns}) ENGINE = MergeTree ORDER BY id`,
      `CREATE TABLE wide (${columns}) ENGINE = ReplacingMergeTree ORDER BY (id, other)`,
      `CREATE TABLE computed (${columns}) ENGINE = ReplacingMergeTree ORDER BY id % 7`,
    );
    for (const table of ['plain', 'wide', 'computed'])
      await expect(
        stand.database.merger(
          { table, key: 'id', properties: ['id', 'other'] },
          settingsOf(stand.settings()),
          call(),
        ),
      ).rejects.toMatchObject({ kind: 'InvalidSettings' });
  });
});

describe('a server that talks HTTPS', () => {
  let stand: ClickhouseStand;
  beforeAll(async () => {
    stand = await ClickhouseStand.openOwn({ tls: SELF_SIGNED });
  });
  afterAll(() => stand.close());

  const check = (encrypted: boolean) =>
    stand.database.check(
      new Map([
        ...settingsOf({ ...stand.settings(), host: 'localhost', database: 'default' }),
        ['tls', encrypted],
      ]),
      call(),
    );

  it('has to prove who it is', async () => {
    await expect(check(true)).rejects.toMatchObject({
      kind: 'Unreachable',
      message: expect.stringMatching(/^TLS connection is not trusted/) as string,
    });
  });

  it('is talked to when its certificate is trusted', async () => {
    const { createSecureContext } = tls;
    const spy = jest
      .spyOn(tls, 'createSecureContext')
      .mockImplementation((options) => createSecureContext({ ...options, ca: SELF_SIGNED.cert }));
    await expect(check(true)).resolves.toBeUndefined();
    spy.mockRestore();
  });

  it('is not talked to without encryption', async () => {
    await expect(check(false)).rejects.toMatchObject({ kind: 'Unreachable' });
  });
});
