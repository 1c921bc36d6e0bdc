import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { sendRaw } from '../../harness/raw-request';
import {
  absent,
  type ErrorBody,
  expectRefused,
  json,
  malformed,
  type Refused,
  refused,
} from '../refusal';
import type { Run, Table } from '../table';
import { type Answer, bearer, type World } from '../world';

const SOURCE = { name: 'Kept', role: 'Source', connector: 'nodejs' };
const PIPELINE = { name: 'P', target: 'Event', eventType: 'send_event_with_no_schema' };
const DUMMY = { name: 'D', role: 'Destination', connector: 'dummy' };

const NO_CONNECTOR = refused('ConnectorNotExist', 'connector does not exist');

const sql = async (
  { databaseUrl }: World,
  text: string,
  ...values: readonly unknown[]
): Promise<void> => {
  const client = new Client({ connectionString: databaseUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(text, [...values]);
  } finally {
    await client.end();
  }
};

/** The output of the installation during the work. */
const printedDuring = async (
  { installation: { penstock } }: World,
  work: () => Promise<unknown>,
): Promise<{ readonly requestId?: string; readonly msg: string }[]> => {
  const before = penstock.output.length;
  await work();
  return penstock.output
    .slice(before)
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as { msg: string });
};

/** Renames a table during the test, so that its users fail with an unexpected error. */
const without =
  (table: string, run: Run): Run =>
  async (world) => {
    await sql(world, `ALTER TABLE penstock.${table} RENAME TO ${table}_away`);
    try {
      await run(world);
    } finally {
      await sql(world, `ALTER TABLE penstock.${table}_away RENAME TO ${table}`);
    }
  };

const retried = (world: World, key: string): Promise<Answer> =>
  world.ask('POST /v1/connections', {
    ...json(SOURCE),
    headers: { ...json({}).headers, 'Idempotency-Key': key },
  });

const later = (world: World, interval: string): Promise<void> =>
  sql(
    world,
    `UPDATE penstock.retries
     SET begun_at = begun_at - $1::interval, held_until = held_until - $1::interval`,
    interval,
  );

/** Restarts with these connectors only. */
const restart = async ({ installation }: World, connectors: string): Promise<void> => {
  const { folder, penstock } = installation;
  expect(await penstock.stop()).toBe(0);
  writeFileSync(join(folder, 'standalone', '.env'), `PENSTOCK_CONNECTORS=${connectors}\n`);
  await penstock.start();
};

/** What was made of a connector that is gone. */
interface Remains {
  readonly connection: string;
  readonly pipeline: string;
}

let remains: Promise<Remains> | undefined;

const removeDummy = async (world: World): Promise<Remains> => {
  const connection = await world.made('POST /v1/connections', DUMMY);
  const pipeline = await world.made('POST /v1/pipelines', { ...PIPELINE, connection });
  await restart(world, 'http,nodejs,webhook');
  return { connection, pipeline };
};

/**
 * Runs with a destination of the test application and its pipeline, after the connector was removed: once for all of
 * these rows, and for good, since the rows that follow need none.
 */
const withoutDummy =
  (run: (world: World, connection: string, pipeline: string) => Promise<void>): Run =>
  async (world) => {
    remains ??= removeDummy(world);
    const { connection, pipeline } = await remains;
    await run(world, connection, pipeline);
  };

const create = (world: World, members: object): Promise<Answer> =>
  world.ask('POST /v1/pipelines', json({ ...PIPELINE, ...members }));

const refusesEach = async (cases: readonly [Promise<Answer>, Refused][]): Promise<void> => {
  for (const [answer, because] of cases) expectRefused(await answer, because);
};

/** A call that needs the pipeline service and its database. */
const EVENT_TYPE_SCHEMA = 'GET /v1/connections/{destination}/schemas/event?type=send_values';

export const OPERATION: Table = {
  'internal error: 500 in the shape of every error, without internals': without(
    'connections',
    async (world) => {
      const { status, text, headers } = await world.ask(EVENT_TYPE_SCHEMA);
      expect(status).toBe(500);
      expect(headers['content-type']).toBe('application/json; charset=utf-8');
      expect(JSON.parse(text) as ErrorBody).toEqual({
        error: { code: 'InternalError', message: 'internal error' },
      });
    },
  ),
  'Request-Id is in each log line of a request, in every service': without(
    'connections',
    async (world) => {
      const requestId = randomUUID();
      const lines = await printedDuring(world, async () => {
        await world.ask(EVENT_TYPE_SCHEMA, { headers: { 'Request-Id': requestId } });
      });
      const of = lines.filter((line) => line.requestId === requestId).map(({ msg }) => msg);
      expect(of.sort()).toEqual([
        'a request was answered with 500: the error is one of Penstock itself',
        'the handler of GetEventTypeSchema has failed',
      ]);
      expect(lines).toHaveLength(2);
    },
  ),
  'Idempotency-Key is remembered for 24 hours': async (world) => {
    const key = randomUUID();
    const first = await retried(world, key);
    await later(world, '23 hours 59 minutes');
    expect(await retried(world, key)).toMatchObject({ status: 200, text: first.text });
    await later(world, '2 minutes');
    const again = await retried(world, key);
    expect(again.status).toBe(200);
    expect(again.headers['idempotent-replayed']).toBeUndefined();
    expect(again.json['id']).not.toBe(first.json['id']);
  },
  'organization cannot have more than 10000 pipelines': async (world) => {
    const { destination: connection, workspace } = world.ids;
    const { pipelines } = await world.done('GET /v1/pipelines');
    await sql(
      world,
      `INSERT INTO penstock.pipelines (id, workspace, connection, enabled, state)
       SELECT 'filler' || n, $1, 'filler', false, '{}' FROM generate_series(1, $2::int) n`,
      workspace,
      9_999 - (pipelines as object[]).length,
    );
    try {
      expect((await create(world, { connection, eventType: 'send_event' })).status).toBe(200);
      expectRefused(
        await create(world, { connection, eventType: 'send_event' }),
        refused('PipelinesLimitReached', 'organization cannot have more than 10000 pipelines'),
      );
    } finally {
      await sql(world, `DELETE FROM penstock.pipelines WHERE connection = 'filler'`);
    }
  },
  'Create pipeline: connector does not exist': withoutDummy(async (world, connection, pipeline) => {
    await refusesEach([
      [create(world, { connection }), NO_CONNECTOR],
      [create(world, { connection, name: '' }), malformed('/name')],
      [create(world, { connection, target: 'User' }), NO_CONNECTOR],
      [create(world, { connection, eventType: 'send_nothing' }), NO_CONNECTOR],
      [create(world, { connection, filter: {} }), NO_CONNECTOR],
      [world.ask(`PUT /v1/pipelines/${pipeline}`, json({ name: 'N' })), NO_CONNECTOR],
      [world.ask('POST /v1/connections', json(DUMMY)), NO_CONNECTOR],
      [
        world.ask('GET /v1/connectors/dummy'),
        absent('ConnectorNotExist', 'connector does not exist'),
      ],
    ]);
  }),
  'what was made of a connector that is gone can be read and deleted': withoutDummy(
    async (world, connection, pipeline) => {
      const { connections } = await world.done('GET /v1/connections');
      expect(connections).toContainEqual(expect.objectContaining({ id: connection }));
      expect(await world.done(`GET /v1/connections/${connection}`)).toMatchObject({
        connector: 'dummy',
        pipelines: [pipeline],
      });
      expect(await world.done(`GET /v1/pipelines/${pipeline}`)).toMatchObject({ connection });
      await world.done(`PUT /v1/pipelines/${pipeline}/status`, { enabled: true });
      await world.done(`DELETE /v1/pipelines/${pipeline}`);
      await world.done(`DELETE /v1/connections/${connection}`);
      const { connectors } = await world.done('GET /v1/connectors');
      const shown = connectors as { readonly code: string; readonly type: string }[];
      const usable = shown.filter(({ type }) => type !== 'FileFormat').map(({ code }) => code);
      expect(usable.sort()).toEqual(['http', 'nodejs', 'webhook']);
    },
  ),
  'health: /healthz and /readyz at the gateway, /metrics only beside it': async (world) => {
    const { address } = world.installation;
    const get = async (path: string) => {
      const { status, text } = await sendRaw(`${address}${path}`, { method: 'GET' });
      return { status, text };
    };
    expect(await get('/healthz')).toMatchObject({ status: 200 });
    expect(await get('/readyz')).toMatchObject({ status: 200 });
    expect(await get('/metrics')).toMatchObject({ status: 404 });
  },
  'an organization key without the header acts on the only workspace': async (world) => {
    const { address, apiKey } = world.installation;
    await world.done('DELETE /v1/workspaces/current');
    const { workspaces } = await world.done('GET /v1/workspaces');
    const { status, text } = await sendRaw(`${address}/v1/workspaces/current`, {
      method: 'GET',
      headers: bearer(apiKey),
    });
    expect(status).toBe(200);
    expect(workspaces).toEqual([JSON.parse(text)]);
  },
};
