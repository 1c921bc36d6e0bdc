import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { ApiClient } from '../harness/api-client';
import { type Installation, showingOutput } from '../harness/installation';
import type { Place } from './place';

let installation: Installation;
let api: ApiClient;
let reader: ApiClient;
let root: string;

/** What is in files of a storage. */
export const files = (place: () => Place): void => {
  beforeAll(async () => {
    ({ installation, root } = place());
    const { first } = place();
    ({ api } = first);
    const rows = Array.from(
      { length: 1_000 },
      (_, n) => `${String(n)},ada${String(n)}@example.com\n`,
    );
    writeFileSync(join(root, 'people.csv.gz'), gzipSync(`id,E-mail address\n${rows.join('')}`));
    const { key } = (await api.call('POST', '/v1/keys', {
      ...{ name: 'Reader', scope: 'read', workspace: first.id },
    })) as { key: string };
    reader = new ApiClient(installation.address, key);
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
        const excerpt = `/v1/connections/${id}/files?path=people.csv.gz&format=csv&compression=Gzip&formatSettings=${settings}&limit=2`;
        const records = [
          { id: '0', E_mail_address: 'ada0@example.com' },
          { id: '1', E_mail_address: 'ada1@example.com' },
        ];
        expect(await api.call('GET', excerpt)).toMatchObject({ records, issues: [] });
        const masked = { id: '••••', E_mail_address: '••••' };
        expect(await reader.call('GET', excerpt)).toMatchObject({ records: [masked, masked] });
        expect(
          await reader.call('GET', `/v1/connections/${id}/files/absolute?path=a/b.csv`),
        ).toEqual({
          path: join(root, 'a/b.csv'),
        });
        expect(place().spooled).toEqual([]);
      },
    ),
  );
};
