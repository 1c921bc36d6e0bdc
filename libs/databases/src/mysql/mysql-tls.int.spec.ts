import { SELF_SIGNED } from '@penstock/test-servers';
import tls from 'node:tls';
import { call, readAll, settingsOf } from '../reading.fixture';
import type { MysqlTls } from './mysql-settings';
import { MysqlStand } from './mysql-stand.fixture';

jest.setTimeout(60_000);

const CIPHER =
  "SELECT VARIABLE_VALUE <> '' AS is_encrypted FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'Ssl_cipher'";

type Row = [mode: MysqlTls, outcome: string];

const outcomeOf = async (stand: MysqlStand, mode: MysqlTls): Promise<string> => {
  const settings = settingsOf({ ...stand.settings(), host: 'localhost', tls: mode });
  try {
    await stand.database.check(settings, call());
    return (await readAll(stand.database, settings, CIPHER)).records.join();
  } catch (error) {
    return String(error);
  }
};

describe('a server with a certificate that nobody has signed', () => {
  let stand: MysqlStand;
  beforeAll(async () => {
    stand = await MysqlStand.openOwn({ tls: SELF_SIGNED });
  });
  afterAll(() => stand.close());

  it.each<Row>([
    ['disabled', '{"is_encrypted":0}'],
    ['preferred', '{"is_encrypted":1}'],
    ['required', '{"is_encrypted":1}'],
    ['verify', 'DatabaseFault: TLS connection is not trusted (HANDSHAKE_SSL_ERROR)'],
  ])('is connected to with tls %s: %s', async (mode, outcome) => {
    expect(await outcomeOf(stand, mode)).toBe(outcome);
  });

  it('is connected to with tls verify when its certificate is trusted', async () => {
    const { createSecureContext } = tls;
    const spy = jest
      .spyOn(tls, 'createSecureContext')
      .mockImplementation((options) => createSecureContext({ ...options, ca: SELF_SIGNED.cert }));
    try {
      expect(await outcomeOf(stand, 'verify')).toBe('{"is_encrypted":1}');
    } finally {
      spy.mockRestore();
    }
  });
});

describe('a server without encryption', () => {
  let stand: MysqlStand;
  beforeAll(async () => {
    stand = await MysqlStand.open();
  });
  afterAll(() => stand.close());

  it.each<Row>([
    ['disabled', '{"is_encrypted":0}'],
    ['preferred', '{"is_encrypted":0}'],
    ['required', 'DatabaseFault: server does not take encrypted connections'],
    ['verify', 'DatabaseFault: server does not take encrypted connections'],
  ])('is connected to with tls %s: %s', async (mode, outcome) => {
    expect(await outcomeOf(stand, mode)).toBe(outcome);
  });
});
