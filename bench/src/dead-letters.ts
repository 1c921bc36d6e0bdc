import { Client } from 'pg';
import { Api } from './api';
import { API_KEY, startEmbedded } from './installations';
import { percentile } from './percentile';
import { cells, heading, option, print } from './table';
import { timed } from './timed';

/** Dead letters unless `--rows` is given. */
const ROWS = 1_000_000;
/** Of each kind of list, unless `--requests` is given. */
const REQUESTS = 300;
const DESTINATIONS = 4;
/** Pages that are read one after the other, by their cursors. */
const PAGES = 20;

const CODES = ['400', '404', '413', '422', ''];
const WINDOW_MS = 3_600_000;

/** Dead letters as a router stores them, without the bodies of their events, which lists do not read. */
const INSERT = `
INSERT INTO penstock_router.deliveries
  (partition, "offset", pipeline, version, lane, order_key, state, attempts, due, step, code, reason, changed,
   workspace, source, message_id, received)
SELECT n % 8, n / 8, ($2::text[])[1 + n % $5], 1, ($3::text[])[1 + n % $5], 'user ' || n % 10000, 'Rejected', 1, now(),
       CASE code WHEN '' THEN 'Transformation' ELSE 'Finalize' END, code, 'answered ' || code || ': no such item',
       received + interval '1 second', $4, 'source000000001', 'message-' || n, received
  FROM generate_series(0, $1::bigint - 1) n,
       LATERAL (SELECT ($6::text[])[1 + (n / $5) % $7] AS code,
                       now() - interval '13 days' + n * (interval '13 days' / $1) AS received) made`;

interface Page {
  readonly deliveries: readonly unknown[];
  readonly cursor: string;
}

interface Stored {
  readonly pipelines: readonly string[];
  readonly destinations: readonly string[];
}

const store = async (
  databaseUrl: string,
  { pipelines, destinations }: Stored,
  rows: number,
): Promise<void> => {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows: workspaces } = await client.query<{ id: string }>(
      'SELECT id FROM penstock.workspaces LIMIT 1',
    );
    const workspace = workspaces[0]?.id ?? '';
    // The trigger would read these columns from the bodies.
    await client.query('SET session_replication_role = replica');
    const of = [rows, pipelines, destinations, workspace, DESTINATIONS, CODES, CODES.length];
    await client.query(INSERT, of);
    // As the database does by itself before long.
    await client.query('ANALYZE penstock_router.deliveries');
  } finally {
    await client.end();
  }
};

/** @throws Error when there is nothing: the request chooses something else than is stored. */
const checked =
  (request: (nth: number) => Promise<Page>) =>
  async (at: number): Promise<void> => {
    const { deliveries } = await request(at);
    if (deliveries.length === 0) throw new Error('a list of dead letters is empty');
  };

const listing = (api: Api, query: string): Promise<Page> =>
  api.get<Page>(`/v1/pipelines/deliveries?${query}`);

/** Pages one after the other; begins anew after some. */
const paging = (api: Api): ((nth: number) => Promise<Page>) => {
  let cursor = '';
  return async (nth) => {
    if (nth % PAGES === 0) cursor = '';
    const page = await listing(api, `limit=100&cursor=${encodeURIComponent(cursor)}`);
    ({ cursor } = page);
    return page;
  };
};

/** The n-th hour of the last ten days. */
const hour = (nth: number): string => {
  const fromMs = Date.now() - WINDOW_MS * (2 + (nth % 240));
  const [from, to] = [fromMs, fromMs + WINDOW_MS].map((ms) => new Date(ms).toISOString());
  return `from=${String(from)}&to=${String(to)}`;
};

const nth = <T>(list: readonly T[], index: number): T | undefined => list[index % list.length];

const kindsOf = (
  api: Api,
  { pipelines, destinations }: Stored,
): Readonly<Record<string, (at: number) => Promise<Page>>> => ({
  'first 100 of the workspace': () => listing(api, 'limit=100'),
  'first 1000 of the workspace': () => listing(api, 'limit=1000'),
  [`pages of 100, ${PAGES} deep`]: paging(api),
  'of a pipeline': (at) => listing(api, `limit=100&pipeline=${String(nth(pipelines, at))}`),
  'of a destination and a code': (at) =>
    listing(api, `limit=100&connection=${String(nth(destinations, at))}&code=404`),
  'of an hour': (at) => listing(api, `limit=100&state=Rejected&${hour(at)}`),
});

/** Measures lists of dead letters, asked for one after the other, where there are very many. */
export const measureDeadLetters = async (): Promise<void> => {
  const rows = option('rows', ROWS);
  const requests = option('requests', REQUESTS);
  const installation = await startEmbedded();
  try {
    const api = new Api(`http://127.0.0.1:${installation.port}`, API_KEY);
    const routes = [];
    for (let each = 0; each < DESTINATIONS; each += 1)
      routes.push(await api.route(`of dead letters ${each}`, 'http://127.0.0.1:9/', 1));
    const stored = {
      pipelines: routes.map(({ pipeline }) => pipeline),
      destinations: routes.map(({ destination }) => destination),
    };
    await store(installation.databaseUrl, stored, rows);
    print(heading(`lists, with ${rows.toLocaleString('en')} dead letters`, 'p50 ms', 'p99 ms'));
    for (const [title, request] of Object.entries(kindsOf(api, stored))) {
      const times = await timed(requests, checked(request));
      print(cells(title, percentile(times, 0.5), percentile(times, 0.99)));
    }
  } finally {
    await installation.stop();
  }
};
