import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { ConnectionId, ExportPipelineState, LiveRun, RunView } from '@penstock/contracts';
import { clickhouseDatabase } from '@penstock/databases';
import { type LocalClickhouse, startClickhouse } from '@penstock/local-clickhouse';
import { LocalS3, type LocalSftp, S3_KEYS, startSftp } from '@penstock/local-storages';
import { SELF_SIGNED } from '@penstock/test-servers';
import { Installation } from './testing/installation.fixture';
import { until } from '@penstock/test-servers';
import {
  columnsOf,
  type PlainProfile,
  plainProfiles,
  StoredProfiles,
  toFile,
  toTable,
} from './testing/profiles.fixture';

jest.setTimeout(600_000);

let installation: Installation;
let profiles: StoredProfiles;

beforeEach(async () => {
  installation = await Installation.open();
  profiles = await StoredProfiles.open(installation);
});
afterEach(() => installation.close());

const WHOLE = { incremental: null };

const performed = async (pipeline: ExportPipelineState): Promise<RunView> =>
  installation.ended(await installation.request(pipeline, WHOLE));

/** Profiles whose values need no quotes, each with a text of this length. */
const longProfiles = (count: number, length: number): readonly PlainProfile[] =>
  plainProfiles(count).map((each) => ({ ...each, last_name: 'x'.repeat(length) }));

const csvOf = (all: readonly PlainProfile[]): string =>
  [
    'email,first_name,last_name',
    ...[...all]
      .sort((one, other) => ((one.email ?? '') < (other.email ?? '') ? -1 : 1))
      .map((each) => [each.email, each.first_name ?? '', each.last_name].join(',')),
  ]
    .map((line) => `${line}\n`)
    .join('');

const totals = (count: number) => ({
  passed: [count, count, count, 0, 0, count],
  failed: [0, 0, 0, 0, 0, 0],
});

describe('to a bucket', () => {
  let s3: LocalS3;
  let connection: ConnectionId;

  beforeEach(async () => {
    s3 = await LocalS3.start('exports');
    connection = await installation.destination('s3', {
      ...{ ...S3_KEYS, bucket: 'exports', endpoint: s3.endpoint },
    });
  });
  afterEach(() => s3.close());

  it.each([
    ['small', 200, 20],
    ['large', 240, 36_000],
  ])(
    'a %s file is there once, as it is counted, however the bucket fails',
    async (_, count, length) => {
      const all = longProfiles(count, length);
      await profiles.write(all);
      s3.put('out.csv', Buffer.from('as it was'));
      const seen = new Set<string>();
      // The first request is refused, and the first one of every other kind is executed without an answer.
      s3.fault = ({ method, query }) => {
        const kind = `${method} ${[...query.keys()].sort().join()}`;
        const isFirst = !seen.has(kind);
        seen.add(kind);
        if (!isFirst) return undefined;
        return seen.size === 1 ? 503 : 'lost';
      };
      await installation.start();
      const run = await performed(toFile({ connection }));
      expect(run).toMatchObject({ status: 'Succeeded', ...totals(count) });
      expect(s3.objects.get('out.csv')?.bytes.toString()).toBe(csvOf(all));
      expect(seen.size).toBeGreaterThanOrEqual(length > 100 ? 4 : 1);
    },
  );
});

describe('to an SFTP server', () => {
  let server: LocalSftp;
  let folder: string;
  let connection: ConnectionId;

  beforeEach(async () => {
    server = await startSftp();
    folder = mkdtempSync(join(tmpdir(), 'penstock-sftp-'));
    writeFileSync(join(folder, 'out.csv'), 'as it was');
    const { port, username, password } = server;
    connection = await installation.destination('sftp', {
      ...{ host: 'localhost', port, username, password },
    });
  });
  afterEach(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });

  const pipeline = () => toFile({ connection }, { path: join(folder, 'out.csv') });
  const content = (): string => readFileSync(join(folder, 'out.csv'), 'utf8');
  const others = (): string[] => readdirSync(folder).filter((name) => name !== 'out.csv');

  it('a file is there once, as it is counted, though connections are lost', async () => {
    const all = longProfiles(400, 1_000);
    await profiles.write(all);
    server.cutAfter(150_000);
    let restarts = 0;
    profiles.beforeRead = () => {
      restarts += 1;
      if (restarts > 4) server.cutAfter(undefined);
      return Promise.resolve();
    };
    await installation.start();
    const run = await performed(pipeline());
    expect(run).toMatchObject({ status: 'Succeeded', ...totals(400) });
    expect(content()).toBe(csvOf(all));
    expect(restarts).toBeGreaterThan(4);
    await until(() => others().length === 0);
  });

  it('a cancel leaves the file as it was, and nothing beside it', async () => {
    await profiles.write(longProfiles(1_400, 1_000));
    let reads = 0;
    let isHeld = true;
    profiles.beforeRead = async () => {
      reads += 1;
      if (reads > 2) await until(() => !isHeld);
    };
    await installation.start();
    const state = pipeline();
    const run = await installation.request(state, WHOLE);
    await until(() => others().length > 0 && reads > 2);
    const live: LiveRun = {
      ...{ run, trigger: 'API', pipelineVersion: 1, incremental: null, cursor: null, slot: null },
      ...{ requestedAt: '2026-06-01T00:00:00.000Z' as never, actor: 'key1' },
      cancelled: { reason: 'Requested' },
    };
    await installation.live(state.id, live);
    expect(await installation.ended(run)).toMatchObject({ status: 'Cancelled' });
    isHeld = false;
    await until(() => others().length === 0);
    expect(content()).toBe('as it was');
  });
});

describe('to a web server', () => {
  let server: Server;
  let connection: ConnectionId;
  let answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  let requests: number;

  beforeEach(async () => {
    requests = 0;
    server = createServer(SELF_SIGNED, (request, response) => {
      requests += 1;
      answer(request, response).catch(() => response.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    connection = await installation.destination('http-post', {
      ...{ host: 'localhost', port },
    });
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('a file is posted once, as it is counted', async () => {
    const all = longProfiles(400, 100);
    await profiles.write(all);
    let body = '';
    answer = async (request, response) => {
      body = await text(request);
      response.writeHead(204).end();
    };
    await installation.start();
    expect(await performed(toFile({ connection }))).toMatchObject({
      ...{ status: 'Succeeded', ...totals(400) },
    });
    expect(body).toBe(csvOf(all));
    expect(requests).toBe(1);
  });

  it.each<[string, typeof answer]>([
    [
      'is refused',
      async (request, response) => void response.writeHead(500).end(await text(request)),
    ],
    [
      'is cut off',
      async (request, response) => void (await once(request, 'data'), response.destroy()),
    ],
  ])(
    'a file that %s is not posted again, and no record counts as written',
    async (_, behaviour) => {
      await profiles.write(longProfiles(400, 100));
      answer = behaviour;
      await installation.start();
      const run = await performed(toFile({ connection }));
      expect(run).toMatchObject({ status: 'Failed' });
      expect(run.error).toMatch(/what may have arrived is not sent again; look whether/);
      const [received = 0] = run.passed;
      expect(run.passed).toEqual([received, received, received, 0, 0, 0]);
      expect(run.failed).toEqual([0, 0, 0, 0, 0, received]);
      expect(requests).toBe(1);
    },
  );
});

describe('to a table of ClickHouse', () => {
  let server: LocalClickhouse;

  beforeAll(async () => {
    server = await startClickhouse();
  });
  afterAll(() => server.stop());

  const ask = async (statement: string): Promise<string> => {
    const response = await fetch(`http://127.0.0.1:${String(server.port)}/`, {
      ...{ method: 'POST', body: statement },
      headers: { 'X-ClickHouse-User': server.username, 'X-ClickHouse-Key': server.password },
    });
    const answered = await response.text();
    if (!response.ok) throw new Error(answered);
    return answered;
  };

  it('rows are there once, with the values of the last run, also when a worker is lost', async () => {
    await ask('CREATE DATABASE crm');
    await ask(
      'CREATE TABLE crm.people (mail String, name Nullable(String)) ENGINE = ReplacingMergeTree ORDER BY mail',
    );
    const { port, username, password } = server;
    const settings = { host: '127.0.0.1', port, username, password, database: 'crm' };
    const all = plainProfiles(2_000);
    await profiles.write(all);
    const outSchema = await columnsOf(clickhouseDatabase, settings);
    const connection = await installation.destination('clickhouse', settings);
    const one = await installation.start();
    const run = await installation.request(toTable({ connection }, outSchema), WHOLE);
    await until(async () => ((await installation.run(run)).progress?.passed[0] ?? 500) >= 500);
    await one.kill();
    await installation.lapse();
    await installation.start();
    const ended = await installation.ended(run);
    expect(ended).toMatchObject({
      ...{ status: 'Succeeded', passed: all.map(() => 2_000).slice(0, 6) },
      failed: [0, 0, 0, 0, 0, 0],
    });
    const found = await ask(
      'SELECT mail, name FROM crm.people FINAL ORDER BY mail FORMAT JSONEachRow',
    );
    const rows = found
      .trim()
      .split('\n')
      .map((line) => Object.values(JSON.parse(line) as Readonly<Record<string, unknown>>));
    const expected = all.map(({ email, first_name: name }) => [email, name]);
    expect(rows).toEqual(expected.sort());
  });
});
