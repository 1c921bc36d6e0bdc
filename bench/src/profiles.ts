import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { Api } from './api';
import { API_KEY, startEmbedded } from './installations';
import { percentile } from './percentile';
import { cells, heading, option, print } from './table';
import { timed } from './timed';

/** Profiles unless `--rows` is given. */
const ROWS = 1_000_000;
/** Of each kind of list, unless `--requests` is given. */
const REQUESTS = 300;
/** Slower ones, of which a hundredth is asked for. */
const SLOW = 100;
const LIMIT_MS = 60_000;

/** People with an email each, who share ten thousand first names. */
const INSERT = `
INSERT INTO warehouse._profiles (_profile_id, _identities, _updated_at, email, first_name)
SELECT gen_random_uuid(), 1, now() - n * interval '1 second', 'user' || n || '@example.com', 'Name ' || n % 10000
  FROM generate_series(0, $1::bigint - 1) n`;

interface Page {
  readonly profiles: readonly unknown[];
}

const store = async (databaseUrl: string, rows: number): Promise<void> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(INSERT, [rows]);
    // As the database does by itself before long.
    await client.query('VACUUM ANALYZE warehouse._profiles');
  } finally {
    await client.end();
  }
};

/** Resolves nothing, but makes what resolutions make for the identifiers. */
const identifyBy = async (api: Api, identifiers: readonly string[]): Promise<void> => {
  const settings = { runOnBatchImport: true, eventDelay: null, identifiers };
  await api.put('/v1/identity-resolution/settings', settings);
  const latest = () =>
    api.get<{ readonly endTime: string | null }>('/v1/identity-resolution/latest');
  for (const untilMs = performance.now() + LIMIT_MS; (await latest()).endTime === null;) {
    if (performance.now() > untilMs) throw new Error('the resolution does not end');
    await sleep(100);
  }
};

const listing = async (
  api: Api,
  conditions: readonly object[],
  query: string,
  expected: number,
): Promise<void> => {
  const filter = encodeURIComponent(JSON.stringify({ logical: 'and', conditions }));
  const { profiles } = await api.get<Page>(`/v1/profiles?filter=${filter}&${query}`);
  if (profiles.length !== expected)
    throw new Error(`${String(expected)} profiles were expected, there are ${profiles.length}`);
};

/** Measures lists of profiles with a filter, asked for one after the other, where there are very many. */
export const measureProfiles = async (): Promise<void> => {
  const rows = option('rows', ROWS);
  const requests = option('requests', REQUESTS);
  const installation = await startEmbedded({}, true);
  try {
    const api = new Api(`http://127.0.0.1:${installation.port}`, API_KEY);
    // In this order: a resolution removes profiles that no identity has made.
    await identifyBy(api, ['email']);
    await store(installation.databaseUrl, rows);
    const email = (nth: number) => `user${String((nth * 7_919) % rows)}@example.com`;
    const name = (nth: number) => `Name ${String((nth * 7_919) % 10_000)}`;
    const is = (property: string, value: string) => [{ property, operator: 'is', values: [value] }];
    const kinds: Readonly<Record<string, readonly [number, (nth: number) => Promise<void>]>> = {
      'email is, an identifier': [
        requests,
        (nth) => listing(api, is('email', email(nth)), 'limit=100', 1),
      ],
      'first_name is, no identifier': [
        Math.ceil(requests / SLOW),
        (nth) => listing(api, is('first_name', name(nth)), 'limit=100', rows / 10_000),
      ],
      'newest 100, email begins with user': [
        requests,
        () =>
          listing(
            api,
            [{ property: 'email', operator: 'starts with', values: ['user'] }],
            'limit=100',
            100,
          ),
      ],
    };
    print(heading(`lists, with ${rows.toLocaleString('en')} profiles`, 'p50 ms', 'p99 ms'));
    for (const [title, [count, request]] of Object.entries(kinds)) {
      const times = await timed(count, request);
      print(cells(title, percentile(times, 0.5), percentile(times, 0.99)));
    }
  } finally {
    await installation.stop();
  }
};
