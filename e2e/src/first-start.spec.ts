import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { EmbeddedInstallation } from './harness/embedded-installation';
import { showingOutput } from './harness/installation';
import { openPage } from '@penstock/test-servers';
import { childrenOf, commandsNaming, memoryOf } from './harness/processes';
import { until } from './harness/until';

jest.setTimeout(180_000);

const MEBIBYTE = 1_048_576;

/** One event of the demo as it is delivered. */
const CART = {
  type: 'send_add_to_cart',
  userId: 'Ada',
  values: { email: 'ada@example.com', itemName: 'Tea Pot', itemId: 42 },
};

/** The output of a first start. */
interface Banner {
  readonly text: string;
  readonly apiKey: string | undefined;
  readonly writeKey: string | undefined;
  readonly curl: string;
}

let installation: EmbeddedInstallation;

/** What the first start has printed. */
let first: Banner;

beforeAll(async () => {
  installation = await EmbeddedInstallation.create();
  first = await start();
});

afterAll(() => installation.destroy());

const test = (title: string, body: () => Promise<void> | void): void => {
  it(
    title,
    showingOutput(
      () => installation,
      async () => {
        await body();
      },
    ),
  );
};

const start = async (): Promise<Banner> => {
  const { penstock } = installation;
  const before = penstock.output.length;
  await penstock.start();
  await until('the banner is printed', () => penstock.output.includes('Penstock is ready', before));
  const text = penstock.output.slice(before);
  return {
    text,
    apiKey: /API key +(pk_\w+)/.exec(text)?.[1],
    writeKey: /Write key +(\w+)/.exec(text)?.[1],
    curl: /^ +curl .*?(?=\n\n)/ms.exec(text)?.[0] ?? '',
  };
};

const run = promisify(execFile);

/** Runs a printed command in a shell. */
const runInShell = async (command: string): Promise<unknown> =>
  JSON.parse((await run('sh', ['-c', command], { timeout: 30_000 })).stdout);

/** What `/demo/events` shows of an event. */
interface Followed {
  readonly event: string;
  readonly pipelines: readonly [
    {
      readonly matches: boolean;
      readonly filter: { readonly conditions: readonly { readonly holds: boolean }[] };
      readonly mapping: { readonly error: string | null } | null;
      readonly outcome: { readonly state: string } | null;
      readonly received: string | null;
    },
  ];
}

const followed = async (): Promise<readonly Followed[]> => {
  const answer = await fetch(`${installation.address}/demo/events`);
  return ((await answer.json()) as { events: Followed[] }).events;
};

/** What the test application has received of the newest events. */
const deliveries = async (): Promise<unknown[]> =>
  (await followed()).flatMap(({ pipelines: [{ received }] }) =>
    received === null ? [] : [JSON.parse(received) as unknown],
  );

const sees = (count: number): Promise<void> =>
  until(`${String(count)} deliveries are shown`, async () => (await deliveries()).length >= count);

test('prints address, keys and a command that works', async () => {
  const { text, apiKey, curl } = first;
  expect(text).toContain(`Penstock is ready at ${installation.address}`);
  expect(text).toContain(`${installation.address}/demo`);
  const authorization = { Authorization: `Bearer ${String(apiKey)}` };
  const connections = await fetch(`${installation.address}/v1/connections`, {
    headers: authorization,
  });
  expect(connections.status).toBe(200);
  expect(await runInShell(curl)).toEqual({ accepted: 1 });
  await sees(1);
  expect(await deliveries()).toEqual([expect.objectContaining(CART)]);
});

test('takes little memory while it is idle', () => {
  const { databasePid = 0, penstock } = installation;
  const database = [databasePid, ...childrenOf(databasePid)].map(memoryOf);
  const megabytes = {
    node: Math.round(memoryOf(penstock.pid ?? 0) / MEBIBYTE),
    database: Math.round(database.reduce((sum, bytes) => sum + bytes, 0) / MEBIBYTE),
  };
  process.stdout.write(`idle: ${JSON.stringify(megabytes)} MiB\n`);
  expect(Math.min(megabytes.node, megabytes.database)).toBeGreaterThan(0);
  expect(megabytes.node + megabytes.database).toBeLessThan(400);
});

test('leads to a page that follows events through filter, mapping and destination', async () => {
  const { writeKey = '' } = first;
  const home = await fetch(`${installation.address}/`);
  expect([home.url, home.headers.get('content-type')]).toEqual([
    `${installation.address}/demo`,
    'text/html; charset=utf-8',
  ]);
  const page = await openPage(home.url);
  const { document } = page.window;
  const shown = (): string => document.querySelector('#events')?.textContent ?? '';
  try {
    for (const sample of ['cart', 'page', 'wrong']) {
      document.querySelector<HTMLElement>(`[data-sample=${sample}]`)?.click();
      document.querySelector<HTMLElement>('#send')?.click();
      expect(await nextAccepted(document)).toBe('200: 1 accepted');
    }
    await until('the page shows how all three ended', () =>
      ['Delivered: 1 request', 'Filtered out by type, event', 'Rejected: not sent'].every((words) =>
        shown().includes(words),
      ),
    );
  } finally {
    await page.close();
  }
  const [wrong, filtered, cart] = await followed();
  expect(cart).toMatchObject({
    pipelines: [{ matches: true, mapping: { error: null }, outcome: { state: 'Delivered' } }],
  });
  expect(JSON.parse(cart?.pipelines[0].received ?? '') as unknown).toMatchObject(CART);
  expect(filtered).toMatchObject({
    pipelines: [
      {
        matches: false,
        filter: { conditions: [{ holds: false }, { holds: false }] },
        mapping: null,
        outcome: null,
        received: null,
      },
    ],
  });
  expect(wrong).toMatchObject({
    pipelines: [
      {
        mapping: { error: expect.stringContaining('itemId = properties.item_id') as string },
        outcome: { state: 'Rejected' },
      },
    ],
  });
  expect(writeKey).toMatch(/^\w{32}$/);
  expect(await (await fetch(`${installation.address}/demo/demo.js`)).text()).not.toContain(
    writeKey,
  );
});

/** Resolves with what the page says of the event that is being sent. */
const nextAccepted = async (document: Document): Promise<string> => {
  const answer = (): string => document.querySelector('#answer')?.textContent ?? '';
  const isSending = (): boolean =>
    document.querySelector<HTMLButtonElement>('#send')?.disabled ?? false;
  await until('the event is answered', () => !isSending() && answer() !== '');
  return answer();
};

interface Warehouse {
  readonly platform: string;
  readonly settings: Readonly<Record<string, string | number>>;
  readonly mcpSettings: object | null;
  readonly mode: string;
}

/** Makes a request with the printed key. @throws Error when it is refused. */
const ask = async (call: string): Promise<string> => {
  const [method = '', path = ''] = call.split(' ');
  const headers = { Authorization: `Bearer ${String(first.apiKey)}` };
  const answer = await fetch(`${installation.address}${path}`, { method, headers });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${call}: ${String(answer.status)} ${text}`);
  return text;
};

const warehouse = async (): Promise<Warehouse> =>
  JSON.parse(await ask('GET /v1/warehouse')) as Warehouse;

test('ends on Ctrl-C without leaving processes, and has its data after a restart', async () => {
  const before = await warehouse();
  const delivered = (await deliveries()).length;
  expect(await installation.penstock.interrupt()).toBe(0);
  expect(commandsNaming(installation.folder)).toEqual([]);
  const second = await start();
  expect(second.writeKey).toBe(first.writeKey);
  expect(second.text).not.toContain('pk_');
  await runInShell(first.curl);
  await sees(delivered + 1);

  // The database has another port now; its schema for the warehouse is found there.
  const { settings, ...rest } = await warehouse();
  const port = before.settings['Port'];
  expect({ ...rest, settings: { ...settings, Port: port } }).toEqual(before);
  await ask('POST /v1/warehouse/repair');
});

test('takes over the database after SIGKILL, with all accepted events', async () => {
  const { databasePid } = installation;
  const delivered = (await deliveries()).length;
  for (let count = 0; count < 3; count += 1)
    expect(await runInShell(first.curl)).toEqual({ accepted: 1 });
  await installation.penstock.kill9();
  const third = await start();
  expect(installation.databasePid).toBe(databasePid);
  expect(third.writeKey).toBe(first.writeKey);
  await sees(delivered + 3);
});
