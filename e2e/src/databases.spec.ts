import { type LocalMariadb, startMariadb } from '@penstock/local-mariadb';
import { ApiClient } from './harness/api-client';
import { EmbeddedInstallation } from './harness/embedded-installation';
import { showingOutput } from './harness/installation';
import { WITHOUT_DRIVER } from './harness/without-driver';

jest.setTimeout(120_000);

let installation: EmbeddedInstallation;
let api: ApiClient;
let server: LocalMariadb;

beforeAll(async () => {
  server = await startMariadb();
  installation = await EmbeddedInstallation.start(WITHOUT_DRIVER);
  api = new ApiClient(installation.address, installation.apiKey, { isPatient: false });
});
afterAll(async () => {
  await installation.destroy();
  await server.stop();
});

const settings = (changes: object = {}): Record<string, unknown> => {
  const { port, username, password, database } = server;
  return { host: '127.0.0.1', port, username, password, database, ...changes };
};

const connection = (changes: object = {}) => ({
  name: 'CRM',
  role: 'Source' as const,
  connector: 'mysql',
  settings: settings(changes),
});

it(
  'shows what is in a database, and says why it cannot',
  showingOutput(
    () => installation,
    async () => {
      const { connectors } = (await api.call('GET', '/v1/connectors')) as {
        connectors: { code: string; type: string }[];
      };
      const databases = connectors.filter(({ type }) => type === 'Database');
      expect(databases.map(({ code }) => code)).toEqual([
        ...['postgresql', 'mysql', 'clickhouse', 'snowflake'],
      ]);
      const id = await api.createConnection(connection());
      const query = (text: string) =>
        api.call('POST', `/v1/connections/${id}/query`, { query: text, limit: 2 });
      expect(await query('SELECT seq AS n, ${limit} AS l FROM seq_1_to_9')).toMatchObject({
        rows: [
          { n: 1, l: 2 },
          { n: 2, l: 2 },
        ],
        issues: [],
      });
      const { key } = (await api.call('POST', '/v1/keys', { name: 'Reader', scope: 'read' })) as {
        key: string;
      };
      const reader = new ApiClient(installation.address, key);
      await expect(
        reader.call('POST', `/v1/connections/${id}/query`, { query: 'SELECT 1 AS n' }),
      ).rejects.toThrow(/403/);
      await expect(query('SELEC')).rejects.toThrow(/InvalidQuery/);
      await expect(api.call('GET', `/v1/connections/${id}/tables?name=none`)).rejects.toThrow(
        /TableNotExist/,
      );
      await expect(api.createConnection(connection({ password: 'wrong' }))).rejects.toThrow(
        /InvalidSettings/,
      );
      await expect(api.createConnection(connection({ port: 1 }))).rejects.toThrow(
        /ServiceUnavailable/,
      );
      await server.kill();
      await expect(query('SELECT 1 AS n')).rejects.toThrow(/ServiceUnavailable/);
    },
  ),
);

it('says what to install where the driver of Snowflake is not', async () => {
  const creating = api.createConnection({
    ...{ name: 'Snow', role: 'Source', connector: 'snowflake' },
    settings: {
      ...{ account: 'acme-eu', username: 'reader', password: 'hidden', role: 'LOADER' },
      ...{ database: 'CRM', schema: 'PUBLIC', warehouse: 'SMALL' },
    },
  });
  await expect(creating).rejects.toThrow(
    /422.*InvalidSettings.*npm install --no-save snowflake-sdk@3\.3\.0/,
  );
});
