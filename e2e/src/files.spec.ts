import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ApiClient } from './harness/api-client';
import { EmbeddedInstallation } from './harness/embedded-installation';
import { showingOutput } from './harness/installation';

jest.setTimeout(120_000);

const base = mkdtempSync(join(tmpdir(), 'penstock-files-'));
const root = join(base, 'root');
const spool = join(base, 'spool');

let installation: EmbeddedInstallation;
let api: ApiClient;

beforeAll(async () => {
  mkdirSync(root);
  mkdirSync(spool);
  const rows = Array.from(
    { length: 1_000 },
    (_, n) => `${String(n)},ada${String(n)}@example.com\n`,
  );
  writeFileSync(join(root, 'users.csv.gz'), gzipSync(`id,E-mail address\n${rows.join('')}`));
  installation = await EmbeddedInstallation.start({
    PENSTOCK_FILES_ROOT: root,
    PENSTOCK_FILES_SPOOL: spool,
  });
  api = new ApiClient(installation.address, installation.apiKey);
});
afterAll(async () => {
  await installation.destroy();
  expect(readdirSync(spool)).toEqual([]);
  rmSync(base, { recursive: true });
});

it(
  'shows what is in a file of a storage, masked for keys of scope read',
  showingOutput(
    () => installation,
    async () => {
      const { connectors } = (await api.call('GET', '/v1/connectors')) as {
        connectors: { code: string; type: string }[];
      };
      const storages = connectors.filter(({ type }) => type === 'FileStorage');
      expect(storages.map(({ code }) => code)).toEqual([
        'filesystem',
        's3',
        'sftp',
        'http-get',
        'http-post',
      ]);
      const id = await api.createConnection({
        name: 'Files',
        role: 'Source',
        connector: 'filesystem',
        settings: {},
      });
      const settings = encodeURIComponent('{"hasColumnNames":true}');
      const excerpt = `/v1/connections/${id}/files?path=users.csv.gz&format=csv&compression=Gzip&formatSettings=${settings}&limit=2`;
      const records = [
        { id: '0', E_mail_address: 'ada0@example.com' },
        { id: '1', E_mail_address: 'ada1@example.com' },
      ];
      expect(await api.call('GET', excerpt)).toMatchObject({ records, issues: [] });
      const { key } = (await api.call('POST', '/v1/keys', { name: 'Reader', scope: 'read' })) as {
        key: string;
      };
      const reader = new ApiClient(installation.address, key);
      const masked = { id: '••••', E_mail_address: '••••' };
      expect(await reader.call('GET', excerpt)).toMatchObject({ records: [masked, masked] });
      expect(await reader.call('GET', `/v1/connections/${id}/files/absolute?path=a/b.csv`)).toEqual(
        {
          path: join(root, 'a/b.csv'),
        },
      );
    },
  ),
);
