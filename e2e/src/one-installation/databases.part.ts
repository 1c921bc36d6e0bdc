import type { LocalMariadb } from '@penstock/local-mariadb';
import { ApiClient } from '../harness/api-client';
import { type Installation, showingOutput } from '../harness/installation';
import type { Place } from './place';

let installation: Installation;
let api: ApiClient;
let reader: ApiClient;
let server: LocalMariadb;

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

/** What is in databases. */
export const databases = (place: () => Place): void => {
  beforeAll(async () => {
    ({ installation, mariadb: server } = place());
    const { id: workspace } = place().first;
    const { address, apiKey } = installation;
    api = new ApiClient(address, apiKey, { workspace, isPatient: false });
    const { key } = (await api.call('POST', '/v1/keys', {
      ...{ name: 'Reader', scope: 'read', workspace },
    })) as { key: string };
    reader = new ApiClient(address, key);
  });

  it(
    'shows what is in a database, and says why it cannot',
    showingOutput(
      () => installation,
      async () => {
        const { connectors } = (await api.call('GET', '/v1/connectors')) as {
          connectors: { code: string; type: string }[];
        };
        const found = connectors.filter(({ type }) => type === 'Database');
        expect(found.map(({ code }) => code)).toEqual([
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
        await server.restart();
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
};
